<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * Collects them in the order in which they are met, each once: a file that is included twice is wrong once.
 *
 * @internal
 */
final class ParseIssues
{
    /** What is no configuration at all would fill the memory with them; the rest is counted. */
    private const KEPT = 1000;

    /** @var array<string, ParseIssue> */
    private array $kept = [];

    private ?ParseIssue $last = null;

    private int $more = 0;

    public function add(ParseIssue $misread): void
    {
        if (count($this->kept) < self::KEPT) {
            $this->kept[$misread->text()] ??= $misread;
        } else {
            $this->last = $misread;
            $this->more++;
        }
    }

    /** @return list<ParseIssue> */
    public function all(): array
    {
        return [
            ...array_values($this->kept), ...($this->last === null ? [] : [ParseIssue::more($this->last, $this->more)]),
        ];
    }
}
