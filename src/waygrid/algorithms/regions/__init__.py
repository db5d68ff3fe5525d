"""Sectors and regions: pra, dba, hcdps."""
