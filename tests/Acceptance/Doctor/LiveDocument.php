<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Tests\Support\Dug;
use PHPUnit\Framework\Assert;

/**
 * What the doctor's JSON says below `live`.
 */
final readonly class LiveDocument
{
    /** @param array<mixed> $live */
    private function __construct(private array $live) {}

    public static function of(string $json): self
    {
        $live = Dug::json($json, 'live');
        Assert::assertIsArray($live, $json);

        return new self($live);
    }

    public function at(string|int ...$path): mixed
    {
        return Dug::out($this->live, ...$path);
    }

    public function text(string|int ...$path): string
    {
        $value = $this->at(...$path);
        Assert::assertIsString($value);

        return $value;
    }

    public function number(string|int ...$path): float
    {
        $value = $this->at(...$path);
        Assert::assertIsNumeric($value);

        return (float) $value;
    }

    /** @return array<mixed> */
    public function all(string|int ...$path): array
    {
        $value = $this->at(...$path);
        Assert::assertIsArray($value);

        return $value;
    }

    /** Skips a test of processes that all wait where other programs took the CPUs: the doctor's looks come too seldom there. */
    public function needsFreeCpus(): void
    {
        $used = array_filter($this->all('samples', 'cpu_percent'), is_numeric(...));

        if ($used === [] || array_sum($used) > 60 * count($used)) {
            Assert::markTestSkipped('Other programs took the CPUs of this machine.');
        }
    }

    /** For a test that fails: everything but the samples. */
    public function told(): string
    {
        return (string) json_encode(array_diff_key($this->live, ['samples' => true]), JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES);
    }
}
