<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector;

use Headroom\Collector\RequestLimits;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class RequestLimitsTest extends TestCase
{
    #[Test]
    public function limits_are_read_from_the_settings(): void
    {
        $limits = RequestLimits::fromOptions(new ConfigReader(
            ['body_bytes' => '1000', 'headers' => 7],
            'collector.limits',
        ));

        self::assertSame(
            [
                'request_line_bytes' => 8_192,
                'header_bytes' => 16_384,
                'headers' => 7,
                'body_bytes' => 1_000,
                'unfinished_bytes' => 67_108_864,
            ],
            $limits->all(),
        );
        self::assertSame(
            [
                'request_line_bytes' => 8_192,
                'header_bytes' => 16_384,
                'headers' => 100,
                'body_bytes' => 5_242_880,
                'unfinished_bytes' => 67_108_864,
            ],
            RequestLimits::fromOptions(new ConfigReader([], ''))->all(),
        );
    }

    /** @param array<string, mixed> $settings */
    #[Test]
    #[TestWith([['header_bytes' => 255], 'header_bytes', 255, 256])]
    #[TestWith([['body_bytes' => 0], 'body_bytes', 0, 1])]
    #[TestWith([['body_bytes' => 1_000, 'unfinished_bytes' => 999], 'unfinished_bytes', 999, 1_000])]
    #[TestWith([['header' => 1], 'header', null, 0])]
    public function limits_that_cannot_be_are_refused(array $settings, string $key, ?int $seen, int $least): void
    {
        $expected = $seen === null
            ? InvalidConfig::unknownKey("collector.limits.{$key}", array_keys((new RequestLimits)->all()))
            : InvalidConfig::notAllowed("collector.limits.{$key}", $seen, Sentence::ANY);

        try {
            RequestLimits::fromOptions(new ConfigReader($settings, 'collector.limits'));
            self::fail('They were taken.');
        } catch (InvalidConfig $e) {
            Sentence::naming($seen === null ? [] : [$least], $expected, $e);
        }
    }
}
