<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Logs;

use Headroom\Doctor\Logs\ErrorLog\ErrorLogSummary;
use Headroom\Doctor\Logs\ErrorLog\FpmError;
use Headroom\Doctor\Logs\FrequencyRow;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A fatal error of PHP has one kind, in whichever log it appears.
 */
#[Group('logs')]
final class FatalsTest extends TestCase
{
    private const BY = '" while reading response header from upstream, client: 203.0.113.9, server: shop.test, '
        .'request: "GET /import HTTP/1.1", upstream: "fastcgi://unix:/run/php/fpm.sock:", host: "shop.test"';

    private const PLACE = '/srv/shop/app/Feed.php:88';

    private const SENTENCES = [
        'Allowed memory size of 134217728 bytes exhausted (tried to allocate 32768 bytes)' => FpmError::PhpMemory,
        'Allowed memory size of 2097152 bytes exhausted at Zend/zend_alloc.c:312 (tried to allocate 20480 '
            .'bytes)' => FpmError::PhpMemory,
        'Maximum execution time of 30 seconds exceeded' => FpmError::PhpTime,
        'Maximum execution time of 1 second exceeded' => FpmError::PhpTime,
        'Maximum execution time of 30+2 seconds exceeded (terminated)' => FpmError::PhpTime,
        'Uncaught TypeError: trim(): Argument #1 ($string) must be of type string, array given' => FpmError::PhpFatal,
        'Cannot redeclare feed() (previously declared in /srv/shop/a.php:3)' => FpmError::PhpFatal,
    ];

    /** @return iterable<string, array{string, FpmError}> */
    public static function fatals(): iterable
    {
        foreach (self::SENTENCES as $sentence => $kind) {
            $php = "PHP Fatal error:  {$sentence} in /srv/shop/app/Feed.php on line 88";
            $nginx = '2026/03/14 09:41:07 [error] 22#22: *512 FastCGI sent in stderr: "';
            $warning = 'PHP message: PHP Warning:  Undefined variable $a in /srv/shop/b.php on line 3';

            foreach ([
                'bare' => $php,
                'of a child' => "NOTICE: PHP message: {$php}",
                'of a child, decorated' => '[14-Mar-2026 09:41:07] WARNING: [pool www] child 204 said into stderr: '
                    ."\"NOTICE: PHP message: {$php}\"",
                'on standard output, decorated' => '[14-Mar-2026 09:41:07] WARNING: [pool www] child 204 said into '
                    ."stdout: \"Fatal error: {$sentence} in /srv/shop/app/Feed.php on line 88\"",
                'to nginx' => "{$nginx}PHP message: {$php}".self::BY,
                'to nginx, behind another' => "{$nginx}{$warning}; PHP message: {$php}".self::BY,
                'to nginx, before another' => "{$nginx}PHP message: {$php}; {$warning}".self::BY,
                'to nginx, as its second record' => "{$nginx}; PHP message: {$php}".self::BY,
                'to nginx, cut off by it' => "{$nginx}PHP message: {$php}",
                "PHP's own log" => "[14-Mar-2026 09:41:07 Europe/Berlin] {$php}",
                'PHP in a syslog of FPM' => "[NOTICE] PHP message: {$php}",
                'a development server' => "[Sat Mar 14 09:41:07 2026] {$php}",
                'displayed' => "Fatal error: {$sentence} in /srv/shop/app/Feed.php on line 88",
                'displayed as HTML' => "<b>Fatal error</b>:  {$sentence} in <b>/srv/shop/app/Feed.php</b> on line "
                    .'<b>88</b><br />',
            ] as $form => $line) {
                yield "{$form}: {$sentence}" => [$line, $kind];
            }
        }
    }

    #[Test]
    #[DataProvider('fatals')]
    public function a_fatal_error_is_of_one_kind_in_every_form(string $line, FpmError $kind): void
    {
        $summary = self::read([$line]);

        self::assertSame([$kind->code()], array_keys($summary->kinds));
        self::assertSame([1, 0], [$summary->of($kind)->count, $summary->foreign()]);
        $uncaught = str_contains($line, 'previously declared') ? [] : [self::PLACE];
        self::assertSame(
            $uncaught,
            $uncaught === [] ? [] : array_map(
                static fn (FrequencyRow $one): string => $one->name,
                $summary->of($kind)->details->ranking(),
            ),
        );
    }

    #[Test]
    public function what_a_framework_logs_of_a_limit_is_that_limit(): void
    {
        $summary = self::read([
            '[2026-03-14 09:41:07] production.ERROR: Allowed memory size of 134217728 bytes exhausted (tried to '
                .'allocate '
                .'32768 bytes) '
                    .'{"exception":"[object] (Symfony\\\\Component\\\\ErrorHandler\\\\Error\\\\FatalError(code: 0): '
                .'Allowed memory size of 134217728 bytes exhausted (tried to allocate 32768 bytes) at '.self::PLACE.')',
            '[stacktrace]', '#0 {main}', '"} ',
            '[2026-03-14T09:42:07.123456+01:00] local.ERROR: Maximum execution time of 60 seconds exceeded '
                .'{"userId":3}',
            '[2026-03-14 09:43:07] production.ERROR: SQLSTATE[HY000] [2002] Connection refused',
            '[stacktrace]', '#0 /srv/shop/a.php(3): connect()',
        ]);

        self::assertSame(['php_memory_limit', 'php_time_limit'], array_keys($summary->kinds));
        self::assertSame(
            ['2026-03-14 09:41:07', '2026-03-14 09:42:07'],
            [$summary->span()->first, $summary->span()->last],
        );
        self::assertSame(self::PLACE, $summary->of(FpmError::PhpMemory)->details->ranking()[0]->name);
        self::assertSame([3, 3], [$summary->continued, $summary->foreign()]);
    }

    #[Test]
    public function a_message_that_was_cut_off_is_known_by_its_beginning(): void
    {
        $php = 'PHP message: PHP Fatal error:  Allowed memory size of 134217728 bytes';
        $nginx = '2026/03/14 09:41:07 [error] 22#22: *512 FastCGI sent in stderr: "';

        for ($length = strlen('PHP message: PHP Fatal error:  Allowed m'); $length <= strlen($php); $length++) {
            $cut = substr($php, 0, $length);

            foreach ([$nginx.$cut, $nginx.$cut.self::BY, "NOTICE: {$cut}", "NOTICE: {$cut}..."] as $line) {
                self::assertSame(['php_memory_limit'], array_keys(self::read([$line])->kinds), $line);
            }
        }

        $short = self::read([
            $nginx.'PHP message: PHP Fatal error:  Maximum '.self::BY,
            'PHP Fatal error:  Maximum call stack size of 8339456 bytes reached',
        ]);
        self::assertSame(['php_fatal'], array_keys($short->kinds), 'It may be another maximum.');
    }

    #[Test]
    public function words_of_a_script_are_no_fatal_error(): void
    {
        $summary = self::read([
            'NOTICE: PHP message: memory is at 90 percent of what is allowed',
            '[14-Mar-2026 09:41:07] WARNING: [pool www] child 204 said into stderr: "Allowed memory size of the '
                .'queue: 3"',
            '2026/03/14 09:41:07 [error] 22#22: *512 FastCGI sent in stderr: "PHP message: Maximum execution time '
                .'of'.self::BY,
            '2026/03/14 09:41:07 [error] 22#22: *513 open() "/srv/Fatal error: x" failed (2: No such file or '
                .'directory)',
            '203.0.113.9 - - [14/Mar/2026:09:41:07 +0000] "GET /?q=Allowed memory size of 1 bytes exhausted '
                .'HTTP/1.1" 200 5',
        ]);

        self::assertSame(
            ['fpm_child_output' => 2, 'php_message' => 1, 'file_missing' => 1],
            array_map(static fn ($kind): int => $kind->count, $summary->kinds),
        );
        self::assertSame(1, $summary->accessLines);
    }

    #[Test]
    public function a_trace_belongs_to_its_message_and_what_follows_does_not(): void
    {
        $trace = [
            'second line in /srv/a.php:5',
            'Stack trace:',
            '#0 {main}',
            '',
            'Next LogicException: y in /srv/a.php:6',
            '  thrown in /srv/a.php on line 5',
        ];
        $said = static fn (string $text, int $child = 204): string => '[14-Mar-2026 09:41:07] WARNING: [pool www] '
            ."child {$child} said into stderr: \"{$text}\"";
        $fatal = 'NOTICE: PHP message: PHP Fatal error:  Uncaught RuntimeException: first line';

        $bare = self::read([$fatal, ...$trace, 'output of another sort']);
        self::assertSame([1, 5, 1], [$bare->entries(), $bare->continued, $bare->foreign()]);

        $ended = self::read([
            'PHP Fatal error:  Maximum execution time of 1 second exceeded in /srv/a.php on line 5',
            'Stack trace:',
            '#0 {main}',
            'output',
        ]);
        self::assertSame([1, 2, 1], [$ended->entries(), $ended->continued, $ended->foreign()], 'As PHP 8.5 logs it.');

        $mixed = [];

        foreach ([$fatal, ...array_diff($trace, ['']), 'output of another sort'] as $line) {
            array_push($mixed, $said($line), $said('a word of another child', 205));
        }

        $decorated = self::read($mixed);
        self::assertSame(1, $decorated->of(FpmError::PhpFatal)->count);
        self::assertSame([5, 8], [$decorated->continued, $decorated->of(FpmError::Output)->count]);
    }

    #[Test]
    public function open_messages_of_many_children_take_little_memory(): void
    {
        $lines = (static function (): iterable {
            for ($i = 0; $i < 50_000; $i++) {
                $child = $i * 7_919 % 4_194_304;
                yield "[14-Mar-2026 09:41:07] WARNING: [pool www] child {$child} said into stderr: \"NOTICE: PHP "
                    ."message: PHP Fatal error:  Uncaught X: {$child}\"";
            }
        })();
        $summary = new ErrorLogSummary;
        $reader = $summary->reader();
        gc_collect_cycles();
        $before = memory_get_usage();
        $reader->read($lines);

        self::assertSame(50_000, $summary->of(FpmError::PhpFatal)->count);
        self::assertLessThan(1_000_000, memory_get_usage() - $before);
    }

    /** @param list<string> $lines */
    private static function read(array $lines): ErrorLogSummary
    {
        $summary = new ErrorLogSummary;
        $summary->reader()->read($lines);

        return $summary;
    }
}
