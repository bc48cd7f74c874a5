<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\UnderLoad;

use Headroom\Tests\Support\CpuShare;
use Headroom\Tests\Support\Dug;
use PHPUnit\Framework\Assert;

/**
 * The member `live` of the doctor's JSON.
 */
final readonly class UnderLoadDocument
{
    /** As the doctor is told by `bin/headroom` which program sends load. */
    public const LOAD = [PHP_BINARY, __DIR__.'/../../../../bin/headroom', 'load'];

    // Of all CPUs. The looks of a doctor that gets less than the rest come too seldom to tell why a process waits.
    private const OTHERS = 0.4;

    /** @param array<mixed> $live */
    private function __construct(private array $live, private float $others) {}

    /** @param ?CpuShare $before of the moment before the doctor looked */
    public static function of(string $json, ?CpuShare $before = null): self
    {
        $live = Dug::json($json, 'live');
        Assert::assertIsArray($live, $json);

        return new self($live, $before?->ofOthersSince() ?? 0.0);
    }

    /** Where other programs took the CPUs and hid the cause, the test is skipped, and says so. */
    public function assertCause(string ...$ids): void
    {
        $id = $this->text('cause', 'id');
        $this->skipWhereOthersHide(! in_array($id, $ids, true));
        Assert::assertContains($id, $ids, $this->told());
    }

    /** As assertCause(): how many processes were seen to wait depends on the looks, too. */
    public function assertSentence(string $pattern): void
    {
        $this->skipWhereOthersHide(preg_match($pattern, $this->text('sentence')) !== 1);
        Assert::assertMatchesRegularExpression($pattern, $this->text('sentence'));
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

    /** For a test that fails: everything but the samples. */
    public function told(): string
    {
        return (string) json_encode(
            array_diff_key($this->live, ['samples' => true]),
            JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES,
        );
    }

    private function skipWhereOthersHide(bool $isHidden): void
    {
        if ($isHidden && $this->others > self::OTHERS) {
            Assert::markTestSkipped(sprintf(
                'Other programs took %d %% of this machine\'s CPUs.',
                round(100 * $this->others),
            ));
        }
    }
}
