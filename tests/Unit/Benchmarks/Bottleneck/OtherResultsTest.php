<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks\Bottleneck;

use Headroom\Benchmarks\Bottleneck\OtherResults;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;

final class OtherResultsTest extends DirectoryTestCase
{
    #[Test]
    public function a_figure_that_was_not_measured_is_null_without_a_date(): void
    {
        $elsewhere = new OtherResults($this->directory->path, $this->directory->file('planted.json'));

        self::assertSame(
            array_fill_keys(
                [
                    'log_mb_per_s', 'load_vs_hey', 'percentile_error', 'planted', 'found', 'fixed_by_text',
                    'false_alarms',
                ],
                null,
            ),
            $elsewhere->figures(),
        );
        self::assertSame(['logs' => null, 'load' => null, 'planted' => null], $elsewhere->dates());
    }

    #[Test]
    public function a_figure_is_taken_from_its_own_file_with_its_own_date(): void
    {
        $this->directory->write(
            'logs.json',
            '{"machine": {"date": "2026-01-02T03:04:05Z"}, "result": {"log_mb_per_s": {"slow": 310.5}}}',
        );
        $this->directory->write(
            'load.json',
            '{"machine": {"date": "2026-01-03T00:00:00Z"}, "result": {"load_1_vs_hey": 1.4, "load_2_vs_hey": 2.6,'
                .' "percentile_error": 0.002}}',
        );
        $this->directory->write(
            'planted.json',
            '{"planted": 48, "found": 48, "fixed_by_text": 40, "near_misses": 40, "near_misses_reported": 0,'
                .' "false_alarms": 0, "machine": {"date": "2026-01-04T00:00:00Z"}}',
        );
        $elsewhere = new OtherResults($this->directory->path, $this->directory->file('planted.json'));

        self::assertSame(
            [
                'log_mb_per_s' => ['slow' => 310.5],
                'load_vs_hey' => 1.4,
                'percentile_error' => 0.002,
                'planted' => 48,
                'found' => 48,
                'fixed_by_text' => 40,
                'false_alarms' => 0,
            ],
            $elsewhere->figures(),
        );
        self::assertSame(
            ['logs' => '2026-01-02T03:04:05Z', 'load' => '2026-01-03T00:00:00Z', 'planted' => '2026-01-04T00:00:00Z'],
            $elsewhere->dates(),
        );
    }

    #[Test]
    public function half_a_file_is_refused_by_its_name(): void
    {
        $this->directory->write('logs.json', '{"result": {"log');
        $this->expectException(RuntimeException::class);
        $this->expectExceptionMessage($this->directory->file('logs.json'));

        (new OtherResults($this->directory->path, $this->directory->file('planted.json')))->figures();
    }
}
