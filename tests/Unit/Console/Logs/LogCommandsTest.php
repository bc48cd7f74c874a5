<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Logs;

use Headroom\Console\Logs\ErrorlogCommand;
use Headroom\Console\Logs\SlowlogCommand;
use Headroom\Doctor\Logs\Error\NginxError;
use Headroom\Host\Log\Likeness;
use Headroom\Host\Log\UnableToReadLog;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Doctor\Logs\Traces;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Tester\CommandTester;

#[Group('snapshot')]
final class LogCommandsTest extends TestCase
{
    private const ERROR = '2026/03/14 09:41:07 [error] 1#1: *1 upstream timed out (110: Connection timed out) while'
        .' reading response header from upstream, client: 203.0.113.9, server: shop.test, request:'
        .' "GET /videos?page=2 HTTP/1.1", upstream: "fastcgi://unix:/run/fpm.sock:", host: "shop.test"'."\n";

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('log-commands');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    #[RequiresPhpExtension('zlib')]
    public function several_files_are_one_report(): void
    {
        $document = $this->json(new SlowlogCommand, [
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
        $document = $this->json(new ErrorlogCommand, [$file, $this->directory->file('link.log'), $file]);

        self::assertSame([1, 1], [$document['files'], $document['entries']]);
    }

    #[Test]
    public function a_file_that_cannot_be_read_stops_none_of_the_others(): void
    {
        foreach ([[new SlowlogCommand, Traces::session(), 'traces'], [new ErrorlogCommand, self::ERROR, 'entries']] as [
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
        $tester = new CommandTester(new ErrorlogCommand);
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
        $tester = new CommandTester(new SlowlogCommand);
        $files = [$packed, $this->directory->write('b.log', Traces::session())];
        $exit = $tester->execute(['file' => $files, '--json' => true], ['capture_stderr_separately' => true]);
        $document = json_decode($tester->getDisplay(), true, flags: JSON_THROW_ON_ERROR);

        self::assertIsArray($document);
        self::assertSame([1, 1], [$exit, $document['truncated']]);
    }

    #[Test]
    public function wrong_usage_ends_with_2(): void
    {
        foreach ([new SlowlogCommand, new ErrorlogCommand] as $command) {
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
            [new SlowlogCommand, $trace.Traces::session()."rubbish \e[2J\n"],
            [new ErrorlogCommand, $error.self::ERROR."rubbish \e[2J\n"],
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
            new SlowlogCommand,
            "{$cut}{$failed}rubbish\n".str_repeat('x', 70_000)."\n".rtrim(Traces::session()),
        );

        foreach (['request_slowlog_trace_depth = 60', '("+++ dump failed")', "\n  rubbish\n"] as $said) {
            self::assertStringContainsString($said, $text);
        }

        self::assertMatchesRegularExpression('/\b20\b/', $text, 'So many frames are left of the trace that FPM cut.');
        $document = $this->json(new SlowlogCommand, [$this->directory->file('a.log')]);
        $seen = array_map(
            static fn (string $name): mixed => $document[$name],
            ['traces', 'cut_by_depth', 'dump_failed', 'truncated', 'unread_lines', 'overlong_lines'],
        );
        self::assertSame([1, 1, 1, 1, 2, 1], $seen);
        Snapshot::assertPrinted('slowlog', 'a log with everything that can be wrong', $text);
    }

    /** @return iterable<string, array{Command, string, string}> a file's bytes, and what they look like */
    public static function others(): iterable
    {
        $access = "203.0.113.9 - - [14/Mar/2026:09:41:07 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"-\"\n";
        $laravel = "[2026-03-14 09:41:07] production.ERROR: SQLSTATE[HY000] x\n[stacktrace]\n#0 /a.php(3): b()\n#1 "
            ."{main}\n\"} \n";
        yield 'access log' => [new ErrorlogCommand, $access, 'access_log'];
        yield 'access log of a container' => [new ErrorlogCommand, str_repeat("nginx-1  | {$access}", 3), 'access_log'];
        yield 'slow log' => [new ErrorlogCommand, Traces::session(), 'slow_log'];
        yield 'error log' => [new SlowlogCommand, self::ERROR, 'error_log'];
        yield 'error log of a container' => [
            new SlowlogCommand,
            "php-1  | NOTICE: PHP message: PHP Warning:  x\n",
            'error_log',
        ];
        yield 'Laravel' => [new ErrorlogCommand, $laravel, 'monolog'];
        yield 'Symfony, in one entry' => [
            new SlowlogCommand,
            '[2026-03-14T09:41:07.123456+00:00] app.INFO: x [] []',
            'monolog',
        ];
        yield 'Apache' => [
            new ErrorlogCommand,
            "[Sat Mar 14 09:41:07.123456 2026] [core:error] [pid 3] x\n",
            'apache_error_log',
        ];
    }

    /** @return iterable<string, array{Command, string, string}> */
    public static function othersThatAreNoLog(): iterable
    {
        $utf16 = static fn (string $text, string $mark): string => $mark.mb_convert_encoding(
            $text,
            'UTF-16LE',
            'UTF-8',
        );

        yield 'JSON lines' => [new ErrorlogCommand, "{\"a\":1}\n{\"a\":2}\n", 'json_lines'];
        yield 'JSON lines of another program' => [new ErrorlogCommand, "{\"message\":\"up\",\"ts\":1}\n", 'syslog'];
        yield 'access log in JSON' => [
            new ErrorlogCommand,
            "{\"addr\":\"::1\",\"request\":\"GET / HTTP/1.1\"}\n",
            'json_lines',
        ];
        yield 'slow log of a database' => [
            new SlowlogCommand,
            "# Time: 2026-03-14\n# User@Host: a[a]\nSELECT 1;\n",
            'mysql_slow_log',
        ];
        yield 'journal, exported' => [new ErrorlogCommand, "__CURSOR=s\n_PID=3\nMESSAGE=x\n\n", 'journal_export'];
        yield 'JSON' => [new ErrorlogCommand, "{\n    \"a\": 1\n}\n", 'json'];
        yield 'journal' => [new ErrorlogCommand, "Mar 14 09:41:07 web1 sshd[3]: Accepted key\n", 'syslog'];
        yield 'HTML' => [new ErrorlogCommand, "<!DOCTYPE html>\n<title>x</title>\n", 'html'];
        yield 'prose' => [new SlowlogCommand, "hello\n", 'text'];
        yield 'UTF-16' => [new ErrorlogCommand, $utf16(self::ERROR, "\xFF\xFE"), 'utf_16'];
        yield 'UTF-16 without its mark' => [new ErrorlogCommand, $utf16(self::ERROR, ''), 'utf_16'];
        yield 'xz' => [new SlowlogCommand, "\xFD7zXZ\0\0\1\n\2", 'xz'];
        yield 'zstd' => [new SlowlogCommand, "\x28\xB5\x2F\xFD\0", 'zstd'];
        yield 'bzip2' => [new SlowlogCommand, 'BZh91AY&SY', 'bzip2'];
        yield 'journal file' => [new ErrorlogCommand, "LPKSHHRH\0\0", 'journal_file'];
        yield 'program' => [new ErrorlogCommand, "\x7FELF\2\1\1\0\0\0\n\xFF\0", 'binary'];
    }

    #[Test]
    #[DataProvider('others')]
    #[DataProvider('othersThatAreNoLog')]
    public function a_file_without_an_entry_is_named_by_its_kind_with_2(
        Command $command,
        string $text,
        string $likeness,
    ): void {
        $file = $this->directory->write('a.log', $text);
        $tester = new CommandTester($command);
        $exit = $tester->execute(['file' => [$file], '--json' => true], ['capture_stderr_separately' => true]);
        $document = json_decode($tester->getDisplay(), true, flags: JSON_THROW_ON_ERROR);

        self::assertIsArray($document);
        self::assertIsArray($document['misread']);
        self::assertSame(
            [2, [$file], [$likeness]],
            [$exit, array_column($document['misread'], 'file'), array_column($document['misread'], 'looks_like')],
        );
        self::assertStringContainsString($file, $tester->getErrorOutput());
        self::assertStringContainsString(
            Likeness::from($likeness)->next($file, (string) $command->getName()),
            $tester->getErrorOutput(),
        );

        $tester->execute(['file' => [$file]], ['capture_stderr_separately' => true]);
        self::assertDoesNotMatchRegularExpression('/Nothing in it|Most frequent|To do/', $tester->getDisplay());
    }

    #[Test]
    public function messages_about_such_files_are_short(): void
    {
        foreach (Likeness::cases() as $likeness) {
            foreach (['errorlog', 'slowlog'] as $command) {
                $next = $likeness->next('/var/log/php-fpm/www.log', $command);

                self::assertLessThan(
                    300,
                    strlen('/var/log/php-fpm/www.log: none of its 10,000 lines is an entry; it looks like '
                        ."{$likeness->words()}. {$next}"),
                );
            }
        }
    }

    #[Test]
    public function a_gzipped_log_that_was_packed_twice_is_told(): void
    {
        $file = $this->directory->write('a.gz', (string) gzencode((string) gzencode(self::ERROR)));
        $tester = new CommandTester(new ErrorlogCommand);

        self::assertSame(
            2,
            $tester->execute(['file' => [$file], '--json' => true], ['capture_stderr_separately' => true]),
        );
    }

    #[Test]
    public function an_empty_file_is_no_failure_and_is_called_so(): void
    {
        foreach ([new SlowlogCommand, new ErrorlogCommand] as $command) {
            foreach (['', "\n\n"] as $text) {
                $document = $this->json($command, [$this->directory->write('a.log', $text)]);

                self::assertIsArray($document['misread']);
                self::assertSame([null], array_column($document['misread'], 'looks_like'));
            }

            Snapshot::assertPrinted(
                (string) $command->getName(),
                'an empty file',
                $this->oneLine($this->text($command, '')),
            );
        }
    }

    #[Test]
    public function of_a_file_that_is_read_in_part_the_share_is_told(): void
    {
        $laravel = str_repeat("[2026-03-14 09:41:07] production.INFO: x\n", 9);
        $memory = '[2026-03-14 09:41:07] production.ERROR: Allowed memory size of 134217728 bytes exhausted (tried '
            ."to allocate 3 bytes)\n";
        $file = $this->directory->write('laravel.log', $laravel.$memory);
        $document = $this->json(new ErrorlogCommand, [$file, $this->directory->write('b.log', self::ERROR)]);

        self::assertIsArray($document['misread']);
        self::assertSame([['file' => $file, 'lines' => 10, 'read_lines' => 1, 'looks_like' => 'monolog']], array_map(
            static fn (mixed $one): array => is_array($one) ? array_diff_key($one, ['next' => true]) : [],
            $document['misread'],
        ));
        Snapshot::assertPrinted(
            'errorlog',
            'a file that is read in part',
            $this->oneLine($this->text(new ErrorlogCommand, $laravel.$memory)),
        );
    }

    #[Test]
    public function a_report_on_a_part_gives_no_all_clear(): void
    {
        $notice = "[14-Mar-2026 09:41:08] NOTICE: [pool www] child 8 started\n";
        $whole = $this->text(new ErrorlogCommand, $notice);

        self::assertStringContainsString('Nothing in it', $whole);
        self::assertStringNotContainsString('Nothing in it', $this->text(new ErrorlogCommand, "{$notice}hello\nyou\n"));
    }

    #[Test]
    public function one_file_that_is_none_makes_it_2_and_the_others_are_reported(): void
    {
        $files = [
            $this->directory->write('a.log', self::ERROR),
            $this->directory->write('b.log', "hello\n"),
            $this->directory->file('gone'),
        ];
        $tester = new CommandTester(new ErrorlogCommand);
        $exit = $tester->execute(['file' => $files, '--json' => true], ['capture_stderr_separately' => true]);
        $document = json_decode($tester->getDisplay(), true, flags: JSON_THROW_ON_ERROR);

        self::assertIsArray($document);
        self::assertSame([2, 1], [$exit, $document['entries']]);
        self::assertSame(2, substr_count($tester->getErrorOutput(), "\n"));
    }

    #[Test]
    public function an_error_log_names_the_most_frequent_kind_its_meaning_and_the_next_step(): void
    {
        $text = $this->text(
            new ErrorlogCommand,
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
        Snapshot::assertPrinted('errorlog', 'the most frequent kind is serious', $text);
        Snapshot::assertPrinted(
            'errorlog',
            'nothing is serious',
            $this->text(new ErrorlogCommand, "[14-Mar-2026 09:41:08] NOTICE: [pool www] child 8 started\n"),
        );
    }

    /**
     * @param list<string> $files
     * @return array<array-key, mixed>
     */
    private function json(Command $command, array $files): array
    {
        $tester = new CommandTester($command);
        self::assertSame(0, $tester->execute(['file' => $files, '--json' => true]));
        $document = json_decode($tester->getDisplay(), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($document);

        return $document;
    }

    /** Where lines break depends on the length of the path. */
    private function oneLine(string $text): string
    {
        return (string) preg_replace('/\s+/', ' ', str_replace($this->directory->path, 'DIRECTORY', $text));
    }

    private function text(Command $command, string $log): string
    {
        $tester = new CommandTester($command);
        self::assertSame(0, $tester->execute(['file' => [$this->directory->write('a.log', $log)]]));

        return $tester->getDisplay();
    }
}
