<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Logs;

use Headroom\Doctor\Logs\ErrorLog\ErrorKind;
use Headroom\Doctor\Logs\ErrorLog\ErrorLogReader;
use Headroom\Doctor\Logs\ErrorLog\ErrorLogSummary;
use Headroom\Doctor\Logs\ErrorLog\FpmError;
use Headroom\Doctor\Logs\ErrorLog\KindSummary;
use Headroom\Doctor\Logs\ErrorLog\NginxError;
use Headroom\Doctor\Logs\ErrorLog\NginxLine;
use Headroom\Doctor\Logs\FrequencyRow;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ErrorLogReaderTest extends TestCase
{
    #[Test]
    #[DataProviderExternal(ErrorLines::class, 'ofNginx')]
    #[DataProviderExternal(ErrorLines::class, 'ofFpm')]
    public function a_line_is_of_one_kind(string $line, ErrorKind $kind): void
    {
        $summary = self::read([$line]);

        self::assertSame(
            [$kind->code()],
            array_map(static fn (KindSummary $found): string => $found->kind->code(), $summary->ranking()),
        );
        self::assertSame([1, 0], [$summary->entries(), $summary->unread->lines()]);
        self::assertSame('2026-03-14 09:41:07', $summary->ranking()[0]->span->first);
    }

    #[Test]
    public function there_is_an_example_of_each_kind_and_codes_are_its_own(): void
    {
        $seen = array_map(
            static fn (array $case): string => $case[1]->code(),
            [...array_values([...ErrorLines::ofNginx()]), ...array_values([...ErrorLines::ofFpm()])],
        );
        $all = array_map(
            static fn (ErrorKind $kind): string => $kind->code(),
            [...NginxError::cases(), ...FpmError::cases()],
        );

        self::assertSame($all, array_values(array_unique($all)));
        self::assertEqualsCanonicalizing($all, array_values(array_unique($seen)));
    }

    #[Test]
    public function requests_and_servers_are_counted_without_queries(): void
    {
        $summary = self::read([
            ErrorLines::TIMEOUT,
            str_replace(['09:41:07', 'page=2', 'GET'], ['09:40:00', 'page=3', 'POST'], ErrorLines::TIMEOUT),
            str_replace(
                ['/videos?page=2', 'fastcgi://unix:/run/php/fpm.sock:', 'shop.test'],
                ['/', 'http://127.0.0.1:8080/x?y', 'api.test'],
                ErrorLines::TIMEOUT,
            ),
            '[14-Mar-2026 09:41:08] WARNING: [pool www] child 8, script \'/a.php\' (request:'
                .' "GET /index.php?token=secret") executing too slow (2.1 sec), logging',
        ]);
        $timeouts = $summary->of(NginxError::TimeoutHeader);

        self::assertSame(
            [3, '2026-03-14 09:40:00', '2026-03-14 09:41:07', ['error' => 3]],
            [$timeouts->count, $timeouts->span->first, $timeouts->span->last, $timeouts->levels],
        );
        self::assertSame(
            ['fastcgi://unix:/run/php/fpm.sock' => 2, 'http://127.0.0.1:8080' => 1],
            self::counts($timeouts->upstreams->ranking()),
        );
        self::assertSame(['shop.test' => 2, 'api.test' => 1], self::counts($timeouts->places->ranking()));
        self::assertSame(
            ['GET /' => 1, 'GET /videos' => 1, 'POST /videos' => 1],
            self::counts($timeouts->uris->ranking()),
        );
        self::assertSame(['GET /index.php' => 1], self::counts($summary->of(FpmError::Slow)->uris->ranking()));
        self::assertSame(['www' => 1], self::counts($summary->of(FpmError::Slow)->places->ranking()));
        self::assertSame(
            ['2026-03-14 09:40:00', '2026-03-14 09:41:08'],
            [$summary->span()->first, $summary->span()->last],
        );
    }

    #[Test]
    public function a_line_of_nginx_has_all_its_parts(): void
    {
        $line = NginxLine::parse(ErrorLines::TIMEOUT);

        self::assertNotNull($line);
        self::assertSame(
            [
                '2026-03-14 09:41:07', 'error', 2371, 114153,
                'upstream timed out (110: Connection timed out) while reading response header from upstream',
                '203.0.113.9', 'shop.test', 'GET /videos', 'fastcgi://unix:/run/php/fpm.sock', 'shop.test',
            ],
            [
                $line->time,
                $line->level,
                $line->pid(),
                $line->connection(),
                $line->message,
                $line->client,
                $line->server,
                $line->uri,
                $line->upstream,
                $line->host,
            ],
        );

        $bare = NginxLine::parse('2026/03/14 09:41:07 [notice] 12#13: exiting');
        self::assertSame(
            [12, 0, 'exiting', null, null, null, null],
            [
                $bare?->pid(),
                $bare?->connection(),
                $bare?->message,
                $bare?->client,
                $bare?->uri,
                $bare?->upstream,
                $bare?->host,
            ],
        );
        self::assertSame('GET /a', NginxLine::parse(str_replace('/videos?page=2', '/a b', ErrorLines::TIMEOUT))?->uri);
        self::assertSame(
            'GET /cut',
            NginxLine::parse('2026/03/14 09:41:07 [error] 1#1: *1 x, client: a, server: b, request: "GET /cut')?->uri,
        );
        self::assertSame(
            '2001:db8::1',
            NginxLine::parse(str_replace('203.0.113.9', '2001:db8::1', ErrorLines::TIMEOUT))?->client,
        );
    }

    #[Test]
    public function a_message_of_several_lines_is_one_entry(): void
    {
        $summary = self::read([
            '2026/03/14 09:41:07 [error] 1#1: *1 FastCGI sent in stderr: "PHP message: PHP Fatal error:'
                .'  Uncaught Exception: x in /a.php:3',
            'Stack trace:',
            '#0 {main}',
            '  thrown in /a.php on line 3" while reading response header from upstream'.ErrorLines::BY,
            'rubbish',
            '[14-Mar-2026 09:41:07 UTC] PHP Fatal error:  Uncaught Exception: x in /a.php:3',
            'Stack trace:',
            '  thrown in /a.php on line 3',
            '[14-Mar-2026 09:41:08] NOTICE: ready to handle connections',
            'rubbish',
        ]);

        self::assertSame([3, 5, 2], [$summary->entries(), $summary->continued, $summary->unread->lines()]);
        self::assertSame(['GET /videos' => 1], self::counts($summary->of(FpmError::PhpFatal)->uris->ranking()));
    }

    #[Test]
    public function lines_of_apache_do_not_go_on_with_the_message_before_them(): void
    {
        $at = '[Sat Mar 14 09:41:07.123456 2026] ';
        $summary = self::read([
            $at."[proxy_fcgi:error] [pid 12:tid 140] [client 10.0.0.1:5] AH01071: Got error 'PHP message:"
                .' PHP Fatal error:  Uncaught x',
            'Stack trace:',
            '#0 {main}',
            "  thrown in /a.php on line 3'",
            $at.'[proxy_fcgi:error] [pid 12:tid 140] (70007)The timeout specified has expired: AH01075:'
                .' Error dispatching request to :',
            $at.'[mpm_event:error] [pid 1] AH00484: server reached MaxRequestWorkers setting, consider raising'
                .' the setting',
        ]);

        self::assertSame([1, 3, 2], [$summary->entries(), $summary->continued, $summary->unread->lines()]);
        self::assertSame(1, $summary->of(FpmError::PhpFatal)->count);
    }

    #[Test]
    public function a_message_of_one_file_does_not_go_on_in_the_next(): void
    {
        $summary = new ErrorLogSummary;
        $log = new ErrorLogReader($summary);
        $log->read(['[14-Mar-2026 09:41:07 UTC] PHP Warning:  x']);
        $log->end();
        $log->read(['hello']);

        self::assertSame([0, 1], [$summary->continued, $summary->unread->lines()]);
    }

    #[Test]
    public function other_lines_are_rubbish(): void
    {
        $lines = [
            'hello', '2026/03/14', '2026/03/14 09:41:07 [loud] 1#1: x', '2026/03/14 09:41:07 [error] x',
            '2026/13x14 09:41:07 [error] 1#1: x',
            '[14-Mar-2026 09:41:07] SHOUT: x', '[14-Mrz-2026 09:41:07] NOTICE: x', '[', '[]', '[14-Mar-2026 09:41:07',
            "\x00\x01\xff",
        ];
        $summary = self::read([...$lines, '', ErrorLines::TIMEOUT]);

        self::assertSame([1, count($lines)], [$summary->entries(), $summary->unread->lines()]);
    }

    #[Test]
    public function kinds_that_need_an_action_come_first(): void
    {
        $summary = self::read([
            ...array_fill(0, 5, '[14-Mar-2026 09:41:07] NOTICE: [pool www] child 9 started'), ErrorLines::TIMEOUT,
        ]);

        self::assertSame(
            ['upstream_timeout_header', 'fpm_lifecycle'],
            array_map(static fn (KindSummary $found): string => $found->kind->code(), $summary->ranking()),
        );
    }

    #[Test]
    public function every_kind_has_one_sentence_for_its_meaning(): void
    {
        foreach ([...NginxError::cases(), ...FpmError::cases()] as $kind) {
            self::assertMatchesRegularExpression('/\A[A-Zn][^\n]+\.\z/', $kind->meaning(), $kind->code());
            self::assertMatchesRegularExpression('/\A(?:[A-Z][^\n]+\.)?\z/', $kind->next(), $kind->code());
        }
    }

    /** @param list<string> $lines */
    private static function read(array $lines): ErrorLogSummary
    {
        $summary = new ErrorLogSummary;
        (new ErrorLogReader($summary))->read($lines);

        return $summary;
    }

    /**
     * @param list<FrequencyRow> $ranked
     * @return array<string, int>
     */
    private static function counts(array $ranked): array
    {
        return array_combine(array_column($ranked, 'name'), array_column($ranked, 'count'));
    }
}
