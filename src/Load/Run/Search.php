<?php

declare(strict_types=1);

namespace Headroom\Load\Run;

/**
 * Looks for a text in a body that comes in pieces, of which only as much is kept as the
 * beginning of the text may be in.
 *
 * @internal
 */
final class Search
{
    private bool $isFound = false;

    private string $rest = '';

    /** @param non-empty-string $text */
    public function __construct(private readonly string $text) {}

    public function begin(): void
    {
        $this->isFound = false;
        $this->rest = '';
    }

    public function read(string $piece): void
    {
        if ($this->isFound) {
            return;
        }

        $read = $this->rest.$piece;
        $this->isFound = str_contains($read, $this->text);
        $this->rest = strlen($this->text) === 1 ? '' : substr($read, 1 - strlen($this->text));
    }

    public function isFound(): bool
    {
        return $this->isFound;
    }
}
