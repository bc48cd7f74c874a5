<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Logs;

use Headroom\Console\Logs\LogsErrorCommand;
use Headroom\Console\Logs\LogsSlowCommand;
use Headroom\Doctor\Logs\ErrorLog\NginxError;
use Headroom\Host\Log\UnableToReadLog;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Doctor\Logs\Traces;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Console\Tester\CommandTester;

#[Group('snapshot')]
final class LogCommandsTest extends LogCommandTestCase
{
    #[Test]
    #[RequiresPhpExtension('zlib')]
    public function several_files_are_one_report(): void
    {
        $document = $this->json(new LogsSlowCommand, [
            $this->directory->write('slow.log', Traces::session()),
            $this->directory->write('slow.log.1', str_replace("\n", "\r\n", Traces::session())),
            $this->directory->write(
                'slow.log.2.gz',
                (string) gzencode(Traces::session().Traces::below([['curl_exec', Traces::ROOT.'app/A.php:3']])),
            ),
        ]);

        self::assertSame(
            [3, 4, 0, 0],
            [$document['files'], $document['traces'], $document['truncated'], $document['unread_lines']],
        );
        self::assertIsArray($document['verdict']);
        self::assertSame(
            ['redis', 3, 0.75, 'phpredis', 'session_write', 3, 'hint'],
            array_map(
                static fn (string $name): mixed => $document['verdict'][$name],
                ['wait', 'traces', 'share', 'client', 'purpose', 'purpose_traces', 'confidence'],
            ),
        );
        self::assertSame(
            [['name' => 'redis', 'count' => 3, 'share' => 0.75], ['name' => 'http', 'count' => 1, 'share' => 0.25]],
            $document['waits'],
        );
        self::assertSame([], $document['failed']);
    }

    #[Test]
    public function a_file_that_is_named_twice_is_read_once(): void
    {
        $file = $this->directory->write('a.log', self::ERROR);
        symlink($file, $this->directory->file('link.log'));
        $document = $this->json(new LogsErrorCommand, [$file, $this->directory->file('link.log'), $file]);

        self::assertSame([1, 1], [$document['files'], $document['entries']]);
    }

    #[Test]
    public function a_file_that_cannot_be_read_stops_none_of_the_others(): void
    {
        foreach ([
            [new LogsSlowCommand, Traces::session(), 'traces'],
            [new LogsErrorCommand, self::ERROR, 'entries'],
        ] as [
            $command, $text, $counted,
        ]) {
            $tester = new CommandTester($command);
            $exit = $tester->execute(
                [
                    'file' => [
                        $this->directory->file('gone'), $this->directory->path,
                        $this->directory->write('a.log', $text),
                    ],
                    '--json' => true,
                ],
                ['capture_stderr_separately' => true],
            );
            $document = json_decode($tester->getDisplay(), true, flags: JSON_THROW_ON_ERROR);

            self::assertIsArray($document);
            self::assertSame(1, $exit);
            self::assertSame([1, 1], [$document['files'], $document[$counted]]);
            self::assertIsArray($document['failed']);
            self::assertSame(
                [$this->directory->file('gone'), $this->directory->path],
                array_column($document['failed'], 'file'),
            );
            self::assertSame([
                UnableToReadLog::notOpened($this->directory->file('gone'), 'no such file or directory')->getMessage(),
                UnableToReadLog::directory($this->directory->path)->getMessage(),
            ], explode("\n", trim($tester->getErrorOutput())));
        }
    }

    #[Test]
    #[RequiresPhpExtension('zlib')]
    public function of_a_broken_archive_what_comes_before_counts(): void
    {
        $packed = (string) gzencode(str_repeat(self::ERROR, 5_000));
        $tester = new CommandTester(new LogsErrorCommand);
        $exit = $tester->execute(
            ['file' => [$this->directory->write('a.gz', substr($packed, 0, -100))], '--json' => true],
            ['capture_stderr_separately' => true],
        );
        $document = json_decode($tester->getDisplay(), true, flags: JSON_THROW_ON_ERROR);

        self::assertIsArray($document);
        self::assertSame(1, $exit);
        self::assertGreaterThan(1_000, $document['entries']);
        self::assertSame(
            UnableToReadLog::cutShort($this->directory->file('a.gz'), strlen($packed) - 100)->getMessage(),
            trim($tester->getErrorOutput()),
        );
    }

    #[Test]
    #[RequiresPhpExtension('zlib')]
    public function a_trace_cut_by_a_broken_archive_ends_with_that_file(): void
    {
        $packed = (string) gzencode(str_repeat(Traces::session(), 50).random_bytes(100_000));
        $packed = $this->directory->write('a.gz', substr($packed, 0, 400));
        $tester = new CommandTester(new LogsSlowCommand);
        $files = [$packed, $this->directory->write('b.log', Traces::session())];
        $exit = $tester->execute(['file' => $files, '--json' => true], ['capture_stderr_separately' => true]);
        $document = json_decode($tester->getDisplay(), true, flags: JSON_THROW_ON_ERROR);

        self::assertIsArray($document);
        self::assertSame([1, 1], [$exit, $document['truncated']]);
    }

    #[Test]
    public function wrong_usage_ends_with_2(): void
    {
        foreach ([new LogsSlowCommand, new LogsErrorCommand] as $command) {
            foreach ([[], ['-', '-']] as $files) {
                $tester = new CommandTester($command);

                self::assertSame(2, $tester->execute(['file' => $files], ['capture_stderr_separately' => true]));
                self::assertSame('', $tester->getDisplay());
            }
        }
    }

    #[Test]
    public function no_line_is_wider_than_80_columns_with_any_log(): void
    {
        $trace = Traces::text(
            [
                [str_repeat('Å', 300), '/srv/'.str_repeat('ü', 300).'/vendor/a/b.php:3'],
                ["\e[2J", "/srv/\xff\x00.php:4"],
            ],
            pool: str_repeat('p', 300),
        );
        $error = str_replace(
            ['shop.test', '/videos', 'unix:/run'],
            [str_repeat('s', 300), "/\e[2J".str_repeat('v', 300), 'unix:/'.str_repeat('r', 300)],
            self::ERROR,
        );

        foreach ([
            [new LogsSlowCommand, $trace.Traces::session()."rubbish \e[2J\n"],
            [new LogsErrorCommand, $error.self::ERROR."rubbish \e[2J\n"],
        ] as [$command, $text]) {
            $tester = new CommandTester($command);
            $tester->execute(['file' => [$this->directory->write('a.log', $text)]]);

            self::assertTrue(mb_check_encoding($tester->getDisplay(), 'UTF-8'));

            foreach (explode("\n", $tester->getDisplay()) as $line) {
                self::assertLessThanOrEqual(80, mb_strwidth($line), $line);
                self::assertStringNotContainsString("\e", $line);
            }
        }
    }

    #[Test]
    public function problems_of_a_log_are_reported(): void
    {
        $cut = Traces::text(array_fill(0, 20, ['handle', Traces::FRAMEWORK.'Pipeline/Pipeline.php:1']));
        $failed = "\n[14-Mar-2026 09:41:07]  [pool www] pid 4711\n+++ dump failed\n";
        $text = $this->text(
            new LogsSlowCommand,
            "{$cut}{$failed}rubbish\n".str_repeat('x', 70_000)."\n".rtrim(Traces::session()),
        );

        foreach (['request_slowlog_trace_depth = 60', '("+++ dump failed")', "\n  rubbish\n"] as $said) {
            self::assertStringContainsString($said, $text);
        }

        self::assertMatchesRegularExpression('/\b20\b/', $text, 'So many frames are left of the trace that FPM cut.');
        $document = $this->json(new LogsSlowCommand, [$this->directory->file('a.log')]);
        $seen = array_map(
            static fn (string $name): mixed => $document[$name],
            ['traces', 'cut_by_depth', 'dump_failed', 'truncated', 'unread_lines', 'overlong_lines'],
        );
        self::assertSame([1, 1, 1, 1, 2, 1], $seen);
        Snapshot::assertPrinted('logs-slow', 'a log with everything that can be wrong', $text);
    }

    #[Test]
    public function an_error_log_names_the_most_frequent_kind_its_meaning_and_the_next_step(): void
    {
        $text = $this->text(
            new LogsErrorCommand,
            str_repeat(self::ERROR, 3).str_repeat("[14-Mar-2026 09:41:08] NOTICE: [pool www] child 8 started\n", 9),
        );
        $oneLine = (string) preg_replace('/\s+/', ' ', $text);

        self::assertSame(
            2,
            substr_count($oneLine, NginxError::TimeoutHeader->meaning()),
            'At the top and in its own section.',
        );
        self::assertStringContainsString(NginxError::TimeoutHeader->next(), $oneLine);
        self::assertMatchesRegularExpression(
            '/^  upstream_timeout_header +3  2026-03-14 09:41  2026-03-14 09:41$/m',
            $text,
        );
        self::assertMatchesRegularExpression(
            '~\n  \w+: fastcgi://unix:/run/fpm.sock \(3\)\n  \w+: shop.test \(3\)\n  \w+: GET /videos \(3\)\n~',
            $text,
        );
        Snapshot::assertPrinted('logs-error', 'the most frequent kind is serious', $text);
        Snapshot::assertPrinted(
            'logs-error',
            'nothing is serious',
            $this->text(new LogsErrorCommand, "[14-Mar-2026 09:41:08] NOTICE: [pool www] child 8 started\n"),
        );
    }
}
