module pgretain

go 1.26.8
