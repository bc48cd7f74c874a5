<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Files and options that `load:compare` refuses.
 */
#[RequiresPhpExtension('posix')]
#[Group('snapshot')]
final class CompareUsageTest extends TestCase
{
    use ComparesRuns;

    /** @return iterable<string, array{list<string>, list<string>}> arguments, and the names in the message */
    public static function wrongUsage(): iterable
    {
        yield 'one file' => [['there.json'], ['missing: "after"']];
        yield 'no such file' => [['there.json', 'gone.json'], ['gone.json']];
        yield 'no JSON' => [['there.json', 'text.json'], ['text.json', 'JSON']];
        yield 'other JSON' => [['there.json', 'list.json'], ['list.json', "'plan'"]];
        yield 'a number beyond a float' => [['there.json', 'huge.json'], ['huge.json', "'p50'", '1.8e308']];
        yield 'a plan that is huge' => [['there.json', 'plan.json'], ['plan.json', "'samples'", '1.8e308']];
        yield 'a plan that is none' => [['text-plan.json', 'there.json'], ['text-plan.json', "'plan'", 'string']];
        yield 'a rate that is none' => [['there.json', 'rate.json'], ['rate.json', "'requests_per_second'", 'string']];
        yield 'one run, twice' => [['run.json', 'copy.json'], ['same run', '--output']];
        yield 'no number' => [['there.json', 'there.json', '--tolerance=much'], ['tolerance', 'much']];
    }

    /**
     * @param list<string> $arguments
     * @param list<string> $named
     */
    #[Test, Group('day-2')]
    #[DataProvider('wrongUsage')]
    public function wrong_usage_exits_with_2(array $arguments, array $named): void
    {
        $this->write('there.json', p50: 1, slots: []);
        foreach (['run.json', 'copy.json'] as $same) {
            $this->write($same, 1, [1, 1], ['started_monotonic_ns' => 7, 'finished_at' => '2026-11-22T13:41:17+00:00']);
        }

        $this->directory->write('text.json', 'p50: 1');
        $whole = '{"plan":%s,"error_rate":0,"seconds":1,"sent":1,"succeeded":1,"unfinished":0,"requests_per_second":%s,'
            .'"latency_us":{"with_timeouts":{"p50":%s}},"timeline":[]}';

        foreach ([
            'huge' => ['{}', '1', '1e999'],
            'plan' => ['{"samples":1e999}', '1', '1'],
            'text-plan' => ['"x"', '1', '1'],
            'rate' => ['{}', '"fast"', '1'],
        ] as $name => $values) {
            $this->directory->write("{$name}.json", sprintf($whole, ...$values));
        }

        $this->directory->write('list.json', '[1]');
        $process = $this->compare(...$arguments);

        self::assertSame(2, $process->getExitCode());
        self::assertSame('', $process->getOutput());
        Sentence::assertNames($named, $process->getErrorOutput());
        Snapshot::assertPrinted(
            'load:compare',
            "{$this->dataName()}",
            (string) preg_replace('/\s+/', ' ', $process->getErrorOutput()),
        );
    }
}
