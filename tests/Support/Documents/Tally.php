<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Documents;

/**
 * Counts the code blocks by how far a test has held them to the truth.
 */
final class Tally
{
    /** @var array<string, array<string, int>> by page and proof */
    private array $pages = [];

    public function add(string $page, Verdict $verdict): void
    {
        $proof = $verdict->fault === '' ? $verdict->proof->value : 'wrong';
        $this->pages[$page][$proof] = ($this->pages[$page][$proof] ?? 0) + 1;
    }

    public function print(string $of): void
    {
        $parts = [];

        foreach ([...array_column(Proof::cases(), 'value'), 'wrong'] as $proof) {
            $parts[] = array_sum(array_column($this->pages, $proof))." {$proof}";
        }

        printf(
            "\n%d code blocks of %d pages (%s): %s.\n",
            array_sum(array_map(array_sum(...), $this->pages)),
            count($this->pages),
            $of,
            implode(', ', $parts),
        );
    }
}
