<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

use Headroom\Doctor\FactUnavailable;

/**
 * A kernel file of names and numbers: "Name:   123 kB" or "name 123", one a line.
 *
 * @internal
 */
final readonly class KernelFields
{
    /** @param array<string, int> $values as the file counts, kB left as they are */
    private function __construct(public string $path, private array $values) {}

    /** Other lines are headings or lists. */
    public static function parse(string $path, string $text): self
    {
        $values = [];

        // 18 digits always fit. The kernel writes a longer number for "no limit".
        // A line without a newline may be cut.
        preg_match_all('/^([A-Za-z_][\w().]*):?[ \t]+(\d{1,18})(?: kB)?\n/m', $text, $matches, PREG_SET_ORDER);

        foreach ($matches as [, $name, $value]) {
            $values[$name] = (int) $value;
        }

        return new self($path, $values);
    }

    public function find(string $name): ?int
    {
        return $this->values[$name] ?? null;
    }

    /** @throws FactUnavailable */
    public function get(string $name): int
    {
        return $this->values[$name] ?? throw UnreadableKernel::noField($this->path, $name);
    }

    /** @return array<string, int> */
    public function all(): array
    {
        return $this->values;
    }
}
