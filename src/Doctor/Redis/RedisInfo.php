<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

/**
 * The INFO of a Redis server: a name and a value in each line.
 *
 * @internal
 */
final readonly class RedisInfo
{
    /** @param array<string, string> $values */
    public function __construct(public array $values) {}

    public static function parse(string $text): self
    {
        $values = [];

        foreach (explode("\n", $text) as $line) {
            $parts = explode(':', rtrim($line, "\r"), 2);

            if (isset($parts[1])) {
                $values[$parts[0]] = $parts[1];
            }
        }

        return new self($values);
    }

    /** 1e999 is infinite, and no result computed with it is right. */
    public function number(string $name): ?float
    {
        $value = $this->values[$name] ?? null;

        return is_numeric($value) && is_finite((float) $value) ? (float) $value : null;
    }
}
