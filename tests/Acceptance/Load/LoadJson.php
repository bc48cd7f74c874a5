<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use PHPUnit\Framework\Assert;

/**
 * The JSON of a run, by paths such as "scenario.steps.0.sent".
 */
final readonly class LoadJson
{
    /** @param array<mixed> $document */
    public function __construct(private array $document) {}

    public function at(string $path): mixed
    {
        $value = $this->document;

        foreach (explode('.', $path) as $key) {
            Assert::assertIsArray($value, $path);
            Assert::assertArrayHasKey($key, $value, $path);
            $value = $value[$key];
        }

        return $value;
    }

    public function number(string $path): float
    {
        $value = $this->at($path);
        Assert::assertIsNumeric($value, $path);

        return (float) $value;
    }

    /** @return list<mixed> */
    public function list(string $path): array
    {
        $value = $this->at($path);
        Assert::assertIsArray($value, $path);

        return array_values($value);
    }

    /** Returns the sum of this member over the timeline. */
    public function sum(string $key): int
    {
        return array_sum(array_map(
            static fn (mixed $slot): int => is_array($slot) && is_int($slot[$key] ?? null) ? $slot[$key] : 0,
            $this->list('timeline'),
        ));
    }
}
