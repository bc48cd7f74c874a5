<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers;

use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Cache;

/**
 * What stays for a while comes from the cache, who asks from the session. Nothing of it is slow but the way there.
 */
final class CatalogueController
{
    private const SECTIONS = ['categories', 'new', 'popular', 'offers', 'menu', 'footer'];

    private const SECONDS = 300;

    private const ITEMS = 20;

    public function __invoke(Request $request): JsonResponse
    {
        $visits = (int) $request->session()->get('visits') + 1;
        $request->session()->put('visits', $visits);
        $page = [];

        foreach (self::SECTIONS as $section) {
            $page[$section] = Cache::remember(
                "catalogue:{$section}",
                self::SECONDS,
                fn (): array => $this->items($section),
            );
        }

        return new JsonResponse(['visits' => $visits, 'sections' => $page]);
    }

    /** @return list<array{name: string, price: int}> */
    private function items(string $section): array
    {
        return array_map(
            static fn (int $n): array => ['name' => "{$section} {$n}", 'price' => 100 + $n],
            range(1, self::ITEMS),
        );
    }
}
