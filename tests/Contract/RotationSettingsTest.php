<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Sink\File\Archive;
use Headroom\Sink\File\FileSink;
use Headroom\Sink\File\Rotation;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * The settings of a rotation: those that are read, and those that are refused.
 */
final class RotationSettingsTest extends TestCase
{
    /** @return iterable<string, array{array<string, mixed>, InvalidConfig}> */
    public static function senseless(): iterable
    {
        $wrong = static fn (mixed $rotate): InvalidConfig
            => InvalidConfig::notAllowed('spool.buckets.audit.rotate', $rotate, Sentence::ANY);
        $missing = InvalidConfig::missing('spool.buckets.audit.rotate', Sentence::ANY);

        yield 'gzip alone' => [['gzip' => true], $missing];
        yield 'keep alone' => [['keep' => 3], $missing];
        yield 'another span' => [['rotate' => 'weekly'], $wrong('weekly')];
        yield 'too small' => [['rotate' => 100], $wrong('100')];
        yield 'a small letter' => [['rotate' => '64m'], $wrong('64m')];
        yield 'a list' => [['rotate' => []], $wrong([])];
        yield 'keep none' => [
            ['rotate' => 'daily', 'keep' => 0],
            InvalidConfig::notAllowed('spool.buckets.audit.keep', 0, Sentence::ANY),
        ];
    }

    /** @param array<string, mixed> $options */
    #[Test]
    #[DataProvider('senseless')]
    public function a_setting_that_makes_no_sense_is_refused(array $options, InvalidConfig $expected): void
    {
        try {
            FileSink::fromOptions(new ConfigReader(['path' => '/tmp/audit', ...$options], 'spool.buckets.audit'));
            self::fail('It was taken.');
        } catch (InvalidConfig $e) {
            Sentence::naming(
                is_string($options['rotate'] ?? null) && $e->key === 'spool.buckets.audit.rotate'
                    ? ['1K', '1024G', "'daily'"]
                    : [],
                $expected,
                $e,
            );
        }
    }

    #[Test]
    #[TestWith(['64M', 67_108_864])]
    #[TestWith(['2K', 2048])]
    #[TestWith([1_000_000, 1_000_000])]
    #[TestWith(['1000000', 1_000_000])]
    #[TestWith(['daily', null])]
    public function a_size_is_bytes_or_has_a_unit(int|string $rotate, ?int $bytes): void
    {
        $rotation = Rotation::fromOptions(new ConfigReader(['rotate' => $rotate, 'gzip' => '1', 'keep' => '7'], 'a'));

        self::assertSame([$bytes, true, 7], [$rotation?->bytes, $rotation?->gzip, $rotation?->keep]);
        self::assertSame([], (new Archive('/nowhere/audit'))->uncompressed());
    }
}
