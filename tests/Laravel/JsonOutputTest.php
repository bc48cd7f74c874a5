<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\CommandGuard;
use Headroom\Console\Spool\Output\FlushReportFormatter;
use Headroom\Console\Spool\Output\StatusTable;
use Headroom\Process\Programs;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Buffer;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Status\EventCounts;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use Symfony\Component\Console\Input\ArrayInput;
use Symfony\Component\Console\Output\BufferedOutput;
use Symfony\Component\Process\Process;

/**
 * Rules for all commands: with --json they print JSON and nothing else, bars appear on a terminal only,
 * lines that fit.
 */
final class JsonOutputTest extends TestCase
{
    private const WITH_JSON = [
        ['spool:install'], ['spool:health'], ['spool:flush'], ['spool:status'], ['spool:peek', 'api-events'],
        ['spool:verify'], ['spool:clean'], ['spool:adopt', '/nowhere'],
        ['spool:failed', 'api-events'], ['spool:failed:show', 'all'], ['spool:retry', 'all'], ['spool:forget', 'all'],
        ['spool:replay', 'api-events', '--from-now'], ['spool:pause'], ['spool:resume'], ['spool:restart'],
        ['spool:forget-node', '--empty'], ['spool:bench', '--seconds=1'],
    ];

    /** The library gives a process only stdin and stdout of a pseudo terminal. */
    private const ON_TERMINAL = ['sh', '-c', 'exec "$@" 2>&1', 'sh'];

    private ?ScratchApplication $app = null;

    protected function tearDown(): void
    {
        $this->app?->remove();
    }

    #[Test, Group('day-2')]
    public function json_is_all_there_is_on_stdout_also_when_nothing_is_right(): void
    {
        $app = $this->application();

        foreach (Sample::of(self::WITH_JSON, 5) as $command) {
            $wrong = $app->artisan(...$command, ...['--json', '--bogus']);
            self::assertSame(
                [2, ['error' => 'The "--bogus" option does not exist.'], ''],
                [$wrong->exit, json_decode($wrong->out, true), $wrong->err],
                $command[0],
            );
        }

        $app->config('spool', "['retention' => 'long']");

        foreach (Sample::of(self::WITH_JSON, 5) as $command) {
            $failed = $app->artisan(...$command, ...['--json']);
            self::assertSame([1, ''], [$failed->exit, $failed->err], $command[0]);
            self::assertIsArray(json_decode($failed->out, true), $command[0].$failed->out);
            Sentence::assertNames(['spool.retention', "'long'"], $failed->out);
        }
    }

    #[Test]
    public function json_of_a_failed_flush_has_the_failure(): void
    {
        $app = $this->application();
        $app->execute('drop table api_events');
        $app->artisan('app:buffer', '2');
        $flushed = $app->artisan('spool:flush', '--json');
        $document = json_decode($flushed->out, true);

        self::assertSame([1, ''], [$flushed->exit, $flushed->err]);
        self::assertIsArray($document);
        self::assertIsArray($document['buckets']);
        self::assertIsArray($document['buckets'][0]);
        self::assertSame([false, 'failed'], [$document['ok'], $document['buckets'][0]['outcome']]);
        self::assertIsString($document['buckets'][0]['failure']);
        self::assertStringContainsString('no such table: api_events', $document['buckets'][0]['failure']);
    }

    #[Test]
    public function an_unforeseen_exception_is_json_too_where_that_was_asked_for(): void
    {
        $output = new BufferedOutput;
        $exit = (new CommandGuard(
            $output,
            new ArrayInput(['--json' => true]),
        ))->guard(static fn (): int => throw new RuntimeException("broken \xFF pipe"));
        self::assertSame([1, ['error' => "broken \u{FFFD} pipe"]], [$exit, json_decode($output->fetch(), true)]);

        $this->expectException(RuntimeException::class);
        (new CommandGuard(
            $output,
            new ArrayInput([]),
        ))->guard(static fn (): int => throw new RuntimeException('broken pipe'));
    }

    #[Test]
    public function the_reason_of_a_dead_letter_cannot_write_to_the_terminal(): void
    {
        $report = new FlushReport('api-events');
        $report->dead = 1;
        $report->firstDeath = "no \e[31m way.";
        $output = new BufferedOutput;
        (new FlushReportFormatter($output))->print($report);

        self::assertStringContainsString('no \e[31m way.', $output->fetch());
    }

    #[Test, Group('day-2')]
    #[TestWith(['spool:verify'])]
    #[TestWith(['spool:flush'])]
    public function long_work_shows_a_bar_on_a_terminal_and_plain_lines_elsewhere(string $command): void
    {
        if (! Process::isPtySupported()) {
            self::markTestSkipped('There are no pseudo terminals here.');
        }

        $app = $this->application();
        $this->backlog($app);
        $plain = $app->artisan('spool:verify');
        self::assertSame([0, ''], [$plain->exit, $plain->err]);
        self::assertSame(1, substr_count($plain->out, "\n"));
        self::assertStringNotContainsString("\x1B", $plain->out);

        $onTerminal = $app->process(
            [...self::ON_TERMINAL, Programs::php(), 'artisan', $command],
            ['TERM' => 'xterm', 'COLUMNS' => '100'],
        );
        $onTerminal->setPty(true);
        self::assertSame(0, $onTerminal->run(), $onTerminal->getOutput());
        $printed = $onTerminal->getOutput();
        self::assertMatchesRegularExpression('/ api-events \[[=>-]+\] +\d+% [\d.]+ \w+ \w+ [\d.]+ MiB/', $printed);
        self::assertMatchesRegularExpression('/api-events: .*\b1200 /', $printed);
    }

    #[Test]
    public function json_has_no_bar_on_a_terminal_either(): void
    {
        if (! Process::isPtySupported()) {
            self::markTestSkipped('There are no pseudo terminals here.');
        }

        $app = $this->application();
        $this->backlog($app);

        foreach (['spool:verify', 'spool:flush', 'spool:clean'] as $command) {
            $onTerminal = $app->process(
                [...self::ON_TERMINAL, Programs::php(), 'artisan', $command, '--json'],
                ['TERM' => 'xterm'],
            );
            $onTerminal->setPty(true);
            $onTerminal->run();
            self::assertIsArray(json_decode($onTerminal->getOutput(), true), $onTerminal->getOutput());
        }
    }

    #[Test]
    public function a_table_that_does_not_fit_is_printed_one_number_to_a_line(): void
    {
        $small = $this->bucket('api-events', 12_345);
        $text = '';
        $large = $this->bucket(str_repeat('long-name-', 6), 123_456_789_012);

        foreach ([[[$small], true], [[$small, $large], false]] as [$buckets, $isTable]) {
            $output = new BufferedOutput;
            (new StatusTable($output, 80))->print($buckets);
            $text = $output->fetch();

            self::assertSame($isTable, str_starts_with(ltrim($text), 'bucket'), $text);
            self::assertLessThanOrEqual(80, max(array_map(mb_strlen(...), explode("\n", $text))), $text);
            self::assertStringContainsString('12345', $text);
        }

        self::assertStringContainsString("\n  delivered  123456789012\n", $text);
    }

    private function application(): ScratchApplication
    {
        $app = $this->app = ScratchApplication::onThisCheckout();
        $app->config(
            'spool',
            "['path' => storage_path('buffer'), 'buckets' => ['api-events' => ['sink' => 'database', 'table' =>"
                ." 'api_events']]]",
        );
        $app->migrate();

        return $app;
    }

    private function backlog(ScratchApplication $app): void
    {
        $rows = array_fill(0, 1200, ['event' => str_repeat('x', 2000)]);
        Buffer::onDisk(AppendConfig::fromArray(['path' => $app->path('storage/buffer')]))
            ->bucket('api-events')
            ->addMany($rows);
    }

    private function bucket(string $name, int $events): BucketStatus
    {
        return new BucketStatus($name, 'database', new EventCounts($events, $events), 1.0);
    }
}
