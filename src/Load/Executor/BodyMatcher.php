<?php

declare(strict_types=1);

namespace Headroom\Load\Executor;

/**
 * Searches a body that arrives in pieces for a text. It keeps only the last bytes, in which the text may have begun.
 *
 * @internal
 */
final class BodyMatcher
{
    private bool $isFound = false;

    private string $tail = '';

    /** @param non-empty-string $text */
    public function __construct(private readonly string $text) {}

    public function reset(): void
    {
        $this->isFound = false;
        $this->tail = '';
    }

    public function read(string $piece): void
    {
        if ($this->isFound) {
            return;
        }

        $read = $this->tail.$piece;
        $this->isFound = str_contains($read, $this->text);
        $this->tail = strlen($this->text) === 1 ? '' : substr($read, 1 - strlen($this->text));
    }

    public function isFound(): bool
    {
        return $this->isFound;
    }
}
