<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Logs;

use Headroom\Doctor\Logs\ErrorLog\ErrorLogSummary;
use Headroom\Doctor\Logs\ErrorLog\KindSummary;
use Headroom\Doctor\Logs\LogSummary;
use Headroom\Doctor\Logs\SlowLog\SlowLogSummary;
use Headroom\Doctor\Logs\SourceReaders;
use Headroom\Host\Log\LogLines;
use Headroom\Tests\Unit\Host\Log\Envelope\Envelopes;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * A log says the same, however it is handed on: each native log that tests have, in each envelope.
 */
#[Group('logs')]
final class EnvelopesTest extends TestCase
{
    private const SEED = 4711;

    /** The day after. */
    private const READ_AT = 1_772_530_000;

    /** @return iterable<string, array{string, LogSummary}> */
    public static function natives(): iterable
    {
        foreach (['fpm-bare.log', 'fpm-decorated.log', 'nginx.log', 'php.log'] as $name) {
            yield $name => [self::fixture($name), new ErrorLogSummary];
        }

        $lines = [...iterator_to_array(ErrorLines::ofNginx()), ...iterator_to_array(ErrorLines::ofFpm())];
        yield 'all kinds of lines' => [implode("\n", array_column($lines, 0))."\n", new ErrorLogSummary];
        yield 'one line of FPM' => [
            "[02-Mar-2026 10:15:01] NOTICE: ready to handle connections\n",
            new ErrorLogSummary,
        ];
        yield 'one line without a time' => [
            "PHP Warning:  Undefined variable \$a in /a.php on line 3\n",
            new ErrorLogSummary,
        ];
        yield 'FPM in a syslog' => [
            "[WARNING] [pool www] server reached pm.max_children setting (5), consider raising it\n[NOTICE] fpm is "
                ."running, pid 3\n",
            new ErrorLogSummary,
        ];
        yield 'what is not UTF-8' => [
            "[02-Mar-2026 10:15:01] WARNING: [pool www] child 3 said into stderr: \"\xff\x01\"\n",
            new ErrorLogSummary,
        ];
        yield 'session.slow' => [self::fixture('session.slow'), new SlowLogSummary];
        yield 'traces of all sorts' => [
            Traces::below([['curl_exec', Traces::ROOT.'app/A.php:3']]).Traces::session()
            ."\n[14-Mar-2026 09:41:07]  [pool www] pid 4711\n+++ dump failed\nrubbish\n".Traces::session(),
            new SlowLogSummary,
        ];
    }

    #[Test]
    #[DataProvider('natives')]
    public function a_native_log_has_no_envelope(string $text): void
    {
        self::assertTrue(LogLines::of([$text])->envelope->isNone());
        self::assertTrue(LogLines::of([self::fixture('access.log')])->envelope->isNone());
    }

    #[Test]
    #[DataProvider('natives')]
    public function a_log_says_the_same_in_each_envelope(string $text, LogSummary $summary): void
    {
        $lines = array_map(static fn (string $line): array => ['php', $line], explode("\n", rtrim($text, "\n")));

        foreach ((new Envelopes(self::SEED))->around($lines) as $tool => $file) {
            $native = new $summary;
            $this->readNative($native, $text, isset(Envelopes::withoutTime()[$tool]) ? null : Envelopes::TIME);
            $read = new $summary;
            $this->readFile($read, $file);

            self::assertSame(self::said($native), self::said($read), "{$tool}:\n".substr($file, 0, 400));
        }
    }

    #[Test]
    public function lines_of_other_programs_between_break_no_entry(): void
    {
        $random = new Randomizer(new Mt19937(self::SEED));

        $logs = [ErrorLogSummary::class => 'fpm-bare.log', SlowLogSummary::class => 'session.slow'];

        foreach ($logs as $class => $first) {
            $second = 'nginx.log';

            for ($round = 0; $round < 10; $round++) {
                $queues = array_map(
                    static fn (string $name): array => explode("\n", rtrim(self::fixture($name), "\n")),
                    ['php' => $first, 'nginx' => $second],
                );
                $mixed = [];

                while ($queues['php'] !== [] || $queues['nginx'] !== []) {
                    $isOfNginx = $queues['php'] === [] || ($queues['nginx'] !== [] && $random->getInt(0, 1) === 0);
                    $program = $isOfNginx ? 'nginx' : 'php';
                    $mixed[] = [$program, (string) array_shift($queues[$program])];
                }

                foreach ((new Envelopes($round))->around($mixed) as $tool => $file) {
                    $time = isset(Envelopes::withoutTime()[$tool]) ? null : Envelopes::TIME;
                    $native = new $class;
                    $this->readNative($native, self::fixture($first), $time);
                    $this->readNative($native, self::fixture($second), $time);
                    $read = new $class;
                    $this->readFile($read, $file);

                    self::assertSame(
                        self::said($native, false),
                        self::said($read, false),
                        "{$tool}:\n".substr($file, 0, 2_000),
                    );
                }
            }
        }
    }

    private function readNative(LogSummary $summary, string $text, ?string $time): void
    {
        $reader = $summary->reader();
        $reader->read(explode("\n", rtrim($text, "\n")), $time);
        $reader->end(false);
    }

    private function readFile(LogSummary $summary, string $file): void
    {
        $clock = new ManualClock;
        $clock->sleep(self::READ_AT * 1_000_000);
        $readers = new SourceReaders($summary);
        $readers->read(LogLines::of(str_split($file, 1_000), $clock));
        $readers->end(false);
    }

    private static function said(LogSummary $summary, bool $isInOrder = true): string
    {
        $said = [$summary->entries(), $summary->foreign()];

        if ($summary instanceof ErrorLogSummary) {
            $kinds = array_map(self::kind(...), $summary->kinds);
            ksort($kinds);
            $said = [
                ...$said,
                $kinds,
                $summary->continued,
                $summary->accessLines,
                $isInOrder ? $summary->unread->examples() : [],
            ];
        }

        if ($summary instanceof SlowLogSummary) {
            $said = [
                ...$said, $summary->traces, $summary->truncated, $summary->failed, $summary->waits->inOrder(),
                $summary->applications->inOrder(), $summary->pools->inOrder(), $summary->span->first,
                $isInOrder ? $summary->unread->examples() : [],
            ];
        }

        return json_encode($said, JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT);
    }

    /** @return list<mixed> */
    private static function kind(KindSummary $kind): array
    {
        $levels = $kind->levels;
        ksort($levels);

        return [
            $kind->count, $kind->span->first, $kind->span->last, $levels, $kind->places->inOrder(),
            $kind->uris->inOrder(), $kind->upstreams->inOrder(), $kind->details->inOrder(),
        ];
    }

    private static function fixture(string $name): string
    {
        return (string) file_get_contents(__DIR__."/fixtures/{$name}");
    }
}
