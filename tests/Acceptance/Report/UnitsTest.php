<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Report;

use Headroom\Process\Programs;
use Headroom\Report\Page\Unit;
use Headroom\Tests\Support\MissingServer;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * A number is written by PHP in tables and words, and by a browser in charts.
 */
final class UnitsTest extends TestCase
{
    /**
     * None lies between two that it could be rounded to: a computer's half is not the half of the
     * digits that are written.
     */
    private const VALUES = [
        0, 0.00012, 0.0007, 0.004, 0.051, 0.1, 0.123, 0.5, 0.9991, 0.99951, 1, 1.7, 1.006, 9.94, 9.996, 12, 42.44,
        99.94, 99.96, 100, 123.4, 999.4, 999.6, 1000, 1234, 1234.6, 9999, 99_949, 999_400, 999_600, 1_234_567,
        1_234_567_890, 98_765_432_109_876,
    ];

    /** @return iterable<string, array{Unit}> */
    public static function units(): iterable
    {
        foreach (Unit::cases() as $unit) {
            yield $unit->value => [$unit];
        }
    }

    #[Test, Group('day-2')]
    #[DataProvider('units')]
    public function a_chart_writes_a_number_as_its_table_does(Unit $unit): void
    {
        $values = [...self::VALUES, -0.5, -12.34];

        self::assertSame(array_map($unit->words(...), $values), self::written('unit', $unit, $values));
        self::assertSame(array_map($unit->place(...), self::VALUES), self::written('place', $unit, self::VALUES));
    }

    /**
     * @param list<int|float> $values
     * @return list<mixed>
     */
    private static function written(string $how, Unit $unit, array $values): array
    {
        if (Programs::optional('node') === null) {
            MissingServer::named('chromium', 'No Node.js is here: bin/services install chromium');
        }

        $process = new Process(
            [
                'node',
                '--input-type=module',
                '--eval',
                "import * as units from './units.js';"
                    ." console.log(JSON.stringify(JSON.parse(process.argv[1]).map(units.{$how}('{$unit->value}'))));",
                json_encode($values, JSON_THROW_ON_ERROR),
            ],
            dirname(__DIR__, 3).'/resources/js/page',
        );
        $process->mustRun();
        $written = json_decode($process->getOutput(), true, flags: JSON_THROW_ON_ERROR);

        return is_array($written) ? array_values($written) : [];
    }
}
