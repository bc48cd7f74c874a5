<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers\Pages;

use Illuminate\Http\Resources\Json\AnonymousResourceCollection;
use Illuminate\Support\Collection;
use Workbench\App\Http\Resources\ProductResource;

/**
 * What an API answers: a collection of resources and what was counted over it.
 */
final class JsonController
{
    private const CATEGORIES = ['bags', 'hats', 'shoes'];

    private const PRODUCTS = 30;

    public function __invoke(): AnonymousResourceCollection
    {
        $products = $this->products();

        return ProductResource::collection($products->sortByDesc('price')->take(10)->values())->additional([
            'meta' => [
                'total' => $products->count(),
                'categories' => $products->groupBy('category')->map->count(),
                'average' => round((float) $products->avg('price'), 2),
            ],
        ]);
    }

    /** @return Collection<int, array{id: int, name: string, category: string, price: int}> */
    private function products(): Collection
    {
        return Collection::times(self::PRODUCTS, static fn (int $n): array => [
            'id' => $n,
            'name' => "Product {$n}",
            'category' => self::CATEGORIES[$n % 3],
            'price' => 500 + $n * 37 % 400,
        ]);
    }
}
