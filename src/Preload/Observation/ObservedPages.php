<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Preload\ObservedRequests;
use Headroom\Preload\Page;

/**
 * The pages that were requested, and the classes that each uses.
 *
 * @internal
 */
final readonly class ObservedPages
{
    /**
     * @param list<array{Page, list<string>}> $succeeded with the classes that each page uses
     * @param array<string, string> $failed pages that do not answer even without preloading, with the reason, by name
     * @param list<array{Page, string}> $errors pages that answer 5xx without preloading, with that answer
     */
    public function __construct(public array $succeeded, public array $failed, public array $errors = []) {}

    /** @return array<string, string> the failure of each page that does not work without preloading, by its name */
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
        return array_column($this->succeeded, 0);
    }

    /**
     * Counts the classes that these pages use, each page by its weight.
     *
     * @param list<Page> $pages
     */
    public function usage(array $pages): ObservedRequests
    {
        $requests = 0;
        $uses = [];

        foreach ($this->succeeded as [$page, $classes]) {
            $weight = in_array($page, $pages, true) ? $page->weight : 0;
            $requests += $weight;

            foreach ($weight === 0 ? [] : $classes as $class) {
                $uses[$class] = ($uses[$class] ?? 0) + $weight;
            }
        }

        return new ObservedRequests($requests, $uses);
    }
}
