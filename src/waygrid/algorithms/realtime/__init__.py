"""Real-time agents: lrta, tba, dstar-lite, dlrta, knn-lrta, sglrta."""
