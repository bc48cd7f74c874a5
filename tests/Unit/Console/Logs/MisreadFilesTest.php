<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Logs;

use Headroom\Console\Logs\LogsErrorCommand;
use Headroom\Console\Logs\LogsSlowCommand;
use Headroom\Host\Log\FileType;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Doctor\Logs\Traces;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * Files that are no log of the command's kind, as a whole or in part.
 */
#[Group('snapshot')]
final class MisreadFilesTest extends LogCommandTestCase
{
    /** @return iterable<string, array{Command, string, string}> a file's bytes, and what they look like */
    public static function others(): iterable
    {
        $access = "203.0.113.9 - - [14/Mar/2026:09:41:07 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"-\"\n";
        $laravel = "[2026-03-14 09:41:07] production.ERROR: SQLSTATE[HY000] x\n[stacktrace]\n#0 /a.php(3): b()\n#1 "
            ."{main}\n\"} \n";
        yield 'access log' => [new LogsErrorCommand, $access, 'access_log'];
        yield 'access log of a container' => [
            new LogsErrorCommand, str_repeat("nginx-1  | {$access}", 3), 'access_log',
        ];
        yield 'slow log' => [new LogsErrorCommand, Traces::session(), 'slow_log'];
        yield 'error log' => [new LogsSlowCommand, self::ERROR, 'error_log'];
        yield 'error log of a container' => [
            new LogsSlowCommand,
            "php-1  | NOTICE: PHP message: PHP Warning:  x\n",
            'error_log',
        ];
        yield 'Laravel' => [new LogsErrorCommand, $laravel, 'monolog'];
        yield 'Symfony, in one entry' => [
            new LogsSlowCommand,
            '[2026-03-14T09:41:07.123456+00:00] app.INFO: x [] []',
            'monolog',
        ];
        yield 'Apache' => [
            new LogsErrorCommand,
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

        yield 'JSON lines' => [new LogsErrorCommand, "{\"a\":1}\n{\"a\":2}\n", 'json_lines'];
        yield 'JSON lines of another program' => [new LogsErrorCommand, "{\"message\":\"up\",\"ts\":1}\n", 'syslog'];
        yield 'access log in JSON' => [
            new LogsErrorCommand,
            "{\"addr\":\"::1\",\"request\":\"GET / HTTP/1.1\"}\n",
            'json_lines',
        ];
        yield 'slow log of a database' => [
            new LogsSlowCommand,
            "# Time: 2026-03-14\n# User@Host: a[a]\nSELECT 1;\n",
            'mysql_slow_log',
        ];
        yield 'journal, exported' => [new LogsErrorCommand, "__CURSOR=s\n_PID=3\nMESSAGE=x\n\n", 'journal_export'];
        yield 'JSON' => [new LogsErrorCommand, "{\n    \"a\": 1\n}\n", 'json'];
        yield 'journal' => [new LogsErrorCommand, "Mar 14 09:41:07 web1 sshd[3]: Accepted key\n", 'syslog'];
        yield 'HTML' => [new LogsErrorCommand, "<!DOCTYPE html>\n<title>x</title>\n", 'html'];
        yield 'prose' => [new LogsSlowCommand, "hello\n", 'text'];
        yield 'UTF-16' => [new LogsErrorCommand, $utf16(self::ERROR, "\xFF\xFE"), 'utf_16'];
        yield 'UTF-16 without its mark' => [new LogsErrorCommand, $utf16(self::ERROR, ''), 'utf_16'];
        yield 'xz' => [new LogsSlowCommand, "\xFD7zXZ\0\0\1\n\2", 'xz'];
        yield 'zstd' => [new LogsSlowCommand, "\x28\xB5\x2F\xFD\0", 'zstd'];
        yield 'bzip2' => [new LogsSlowCommand, 'BZh91AY&SY', 'bzip2'];
        yield 'journal file' => [new LogsErrorCommand, "LPKSHHRH\0\0", 'journal_file'];
        yield 'program' => [new LogsErrorCommand, "\x7FELF\2\1\1\0\0\0\n\xFF\0", 'binary'];
    }

    #[Test]
    #[DataProvider('others')]
    #[DataProvider('othersThatAreNoLog')]
    public function a_file_without_an_entry_is_named_by_its_kind_with_2(
        Command $command,
        string $text,
        string $type,
    ): void {
        $file = $this->directory->write('a.log', $text);
        $tester = new CommandTester($command);
        $exit = $tester->execute(['file' => [$file], '--json' => true], ['capture_stderr_separately' => true]);
        $document = json_decode($tester->getDisplay(), true, flags: JSON_THROW_ON_ERROR);

        self::assertIsArray($document);
        self::assertIsArray($document['misread']);
        self::assertSame(
            [2, [$file], [$type]],
            [$exit, array_column($document['misread'], 'file'), array_column($document['misread'], 'looks_like')],
        );
        self::assertStringContainsString($file, $tester->getErrorOutput());
        self::assertStringContainsString(
            FileType::from($type)->next($file, (string) $command->getName()),
            $tester->getErrorOutput(),
        );

        $tester->execute(['file' => [$file]], ['capture_stderr_separately' => true]);
        self::assertDoesNotMatchRegularExpression('/Nothing in it|Most frequent|To do/', $tester->getDisplay());
    }

    #[Test]
    public function messages_about_such_files_are_short(): void
    {
        foreach (FileType::cases() as $type) {
            foreach (['logs:error', 'logs:slow'] as $command) {
                $next = $type->next('/var/log/php-fpm/www.log', $command);

                self::assertLessThan(
                    300,
                    strlen('/var/log/php-fpm/www.log: none of its 10,000 lines is an entry; it looks like '
                        ."{$type->words()}. {$next}"),
                );
            }
        }
    }

    #[Test]
    public function a_gzipped_log_that_was_packed_twice_is_told(): void
    {
        $file = $this->directory->write('a.gz', (string) gzencode((string) gzencode(self::ERROR)));
        $tester = new CommandTester(new LogsErrorCommand);

        self::assertSame(
            2,
            $tester->execute(['file' => [$file], '--json' => true], ['capture_stderr_separately' => true]),
        );
    }

    #[Test]
    public function an_empty_file_is_no_failure_and_is_called_so(): void
    {
        foreach ([new LogsSlowCommand, new LogsErrorCommand] as $command) {
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
        $document = $this->json(new LogsErrorCommand, [$file, $this->directory->write('b.log', self::ERROR)]);

        self::assertIsArray($document['misread']);
        self::assertSame([['file' => $file, 'lines' => 10, 'read_lines' => 1, 'looks_like' => 'monolog']], array_map(
            static fn (mixed $one): array => is_array($one) ? array_diff_key($one, ['next' => true]) : [],
            $document['misread'],
        ));
        Snapshot::assertPrinted(
            'logs-error',
            'a file that is read in part',
            $this->oneLine($this->text(new LogsErrorCommand, $laravel.$memory)),
        );
    }

    #[Test]
    public function a_report_on_a_part_gives_no_all_clear(): void
    {
        $notice = "[14-Mar-2026 09:41:08] NOTICE: [pool www] child 8 started\n";
        $whole = $this->text(new LogsErrorCommand, $notice);

        self::assertStringContainsString('No entry needs an action', $whole);
        self::assertStringNotContainsString(
            'No entry needs an action',
            $this->text(new LogsErrorCommand, "{$notice}hello\nyou\n"),
        );
    }

    #[Test]
    public function one_file_that_is_none_makes_it_2_and_the_others_are_reported(): void
    {
        $files = [
            $this->directory->write('a.log', self::ERROR),
            $this->directory->write('b.log', "hello\n"),
            $this->directory->file('gone'),
        ];
        $tester = new CommandTester(new LogsErrorCommand);
        $exit = $tester->execute(['file' => $files, '--json' => true], ['capture_stderr_separately' => true]);
        $document = json_decode($tester->getDisplay(), true, flags: JSON_THROW_ON_ERROR);

        self::assertIsArray($document);
        self::assertSame([2, 1], [$exit, $document['entries']]);
        self::assertSame(2, substr_count($tester->getErrorOutput(), "\n"));
    }

    /** Where lines break depends on the length of the path. */
    private function oneLine(string $text): string
    {
        return (string) preg_replace('/\s+/', ' ', str_replace($this->directory->path, 'DIRECTORY', $text));
    }
}
