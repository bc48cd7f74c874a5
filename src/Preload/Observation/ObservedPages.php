<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Preload\ObservedRequests;
use Headroom\Preload\Page;

/**
 * What pages use that the application was asked for.
 *
 * @internal
 */
final readonly class ObservedPages
{
    /**
     * @param list<array{Page, list<string>}> $seen with the classes that each uses
     * @param array<string, string> $failed why a page cannot be compared, by its name: it gives no answer even without
     *                                      preloading
     * @param list<array{Page, string}> $errors with the status 5xx that each answers without preloading
     */
    public function __construct(public array $seen, public array $failed, public array $errors = []) {}

    /** @return array<string, string> what was seen of each page that does not work without preloading, by its name */
    public function broken(): array
    {
        $broken = $this->failed;

        foreach ($this->errors as [$page, $answer]) {
            $broken[$page->name()] = $answer;
        }

        return $broken;
    }

    /** @return list<Page> */
    public function pages(): array
    {
        return array_column($this->seen, 0);
    }

    /**
     * Of these pages.
     *
     * @param list<Page> $pages
     */
    public function observed(array $pages): ObservedRequests
    {
        $requests = 0;
        $uses = [];

        foreach ($this->seen as [$page, $classes]) {
            $weight = in_array($page, $pages, true) ? $page->weight : 0;
            $requests += $weight;

            foreach ($weight === 0 ? [] : $classes as $class) {
                $uses[$class] = ($uses[$class] ?? 0) + $weight;
            }
        }

        return new ObservedRequests($requests, $uses);
    }
}
