"""Real-time agents: lrta, tba, dlrta, knn-lrta, sglrta."""
