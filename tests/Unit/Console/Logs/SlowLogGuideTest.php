<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Logs;

use Closure;
use Headroom\Console\Standalone\Bootstrap;
use Headroom\Doctor\Logs\ErrorLog\ErrorKind;
use Headroom\Doctor\Logs\ErrorLog\FpmError;
use Headroom\Doctor\Logs\ErrorLog\NginxError;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Unit\Doctor\Logs\Traces;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Console\Input\ArrayInput;
use Symfony\Component\Console\Output\BufferedOutput;

/**
 * docs/slow-log.md shows what the commands print. `make snapshots` writes that page again.
 */
#[Group('snapshot')]
final class SlowLogGuideTest extends DirectoryTestCase
{
    private const PAGE = __DIR__.'/../../../../docs/slow-log.md';

    #[Test]
    public function the_report_on_the_page_is_what_logs_slow_prints(): void
    {
        $this->assertShown(
            'headroom logs:slow /var/log/php-fpm/www.log.slow',
            $this->printed('logs:slow', self::slow()),
        );
    }

    #[Test]
    public function the_report_on_the_error_log_is_what_logs_error_prints(): void
    {
        $this->assertShown(
            'headroom logs:error /var/log/nginx/error.log /var/log/phpX.Y-fpm.log',
            $this->printed('logs:error', self::nginx(), self::fpm()),
        );
    }

    #[Test]
    public function the_page_has_all_kinds_of_lines_with_their_meaning(): void
    {
        $row = '/^\| `(\w+)` \| (.+) \|$/m';
        $kinds = [...NginxError::cases(), ...FpmError::cases()];
        $codes = array_map(static fn (ErrorKind $kind): string => $kind->code(), $kinds);
        $meanings = array_combine($codes, array_map(static fn (ErrorKind $kind): string => $kind->meaning(), $kinds));

        self::writeAgain($row, static fn (array $m): string => "| `{$m[1]}` | ".($meanings[$m[1]] ?? $m[2]).' |');
        preg_match_all($row, (string) file_get_contents(self::PAGE), $rows);

        self::assertSame($meanings, array_combine($rows[1], $rows[2]));
    }

    private function assertShown(string $command, string $printed): void
    {
        $shown = "```text\n$ {$command}\n".rtrim($printed)."\n```\n";
        self::writeAgain('/^```text\n\$ '.preg_quote($command, '/').'\n.*?\n```\n/ms', static fn (): string => $shown);

        self::assertStringContainsString(
            $shown,
            (string) file_get_contents(self::PAGE),
            'If that is intended: make snapshots',
        );
    }

    /**
     * The page, where a test is to write what it is to find.
     *
     * @param Closure(array<array-key, string>): string $shown
     */
    private static function writeAgain(string $pattern, Closure $shown): void
    {
        if (getenv('HEADROOM_SNAPSHOTS') === 'write') {
            $page = preg_replace_callback($pattern, $shown, (string) file_get_contents(self::PAGE));
            self::assertNotFalse(file_put_contents(self::PAGE, (string) $page));
        }
    }

    private function printed(string $command, string ...$logs): string
    {
        $files = array_map(fn (string $log): string => $this->directory->write(md5($log), $log), $logs);
        $output = new BufferedOutput;
        (new Bootstrap)->run(new ArrayInput(['command' => $command, 'file' => $files]), $output);

        return $output->fetch();
    }

    /** A few minutes under load, as the log of a pool has them. */
    private static function slow(): string
    {
        $framework = Traces::FRAMEWORK;
        $app = Traces::ROOT.'app/';
        $redis = [
            ['connect', "{$framework}Redis/Connectors/PhpRedisConnector.php:173"],
            ['establishConnection', "{$framework}Redis/Connectors/PhpRedisConnector.php:91"],
        ];
        $session = [
            ['get', "{$framework}Cache/RedisStore.php:60"],
            ['get', "{$framework}Cache/Repository.php:110"],
            ['read', "{$framework}Session/Store.php:116"],
            ['readFromHandler', "{$framework}Session/Store.php:104"],
        ];
        $text = str_repeat(Traces::session(), 24);

        foreach ([
            [8, [...$redis, ...$session], '09:43:51'],
            [
                5,
                [
                    ['execute', "{$framework}Database/Connection.php:430"],
                    ['select', "{$framework}Database/Query/Builder.php:2913"],
                    ['get', "{$app}Http/Controllers/VideoController.php:31"],
                ],
                '09:58:12',
            ],
            [
                3,
                [
                    ['curl_exec', Traces::ROOT.'vendor/guzzlehttp/guzzle/src/Handler/CurlHandler.php:44'],
                    ['send', "{$framework}Http/Client/PendingRequest.php:1100"],
                    ['get', "{$app}Services/Recommendations.php:18"],
                ],
                '10:02:30',
            ],
            [2, [['preg_match', "{$app}Services/Words.php:77"]], '10:04:05'],
        ] as [$times, $frames, $clock]) {
            $text .= str_repeat(Traces::below($frames, "14-Mar-2026 {$clock}"), $times);
        }

        return $text;
    }

    private static function nginx(): string
    {
        $by = ', client: 203.0.113.9, server: shop.example, request: "GET %s HTTP/1.1", upstream:'
            .' "fastcgi://unix:/run/php/php-fpm.sock", host: "shop.example"';
        $text = '';

        foreach (['/videos?page=1' => 21, '/' => 12, '/videos/7' => 4] as $uri => $times) {
            $text .= str_repeat(
                '2026/03/14 09:41:57 [error] 2371#2371: *114153 upstream timed out (110: Connection timed out) while'
                    .' reading response header from upstream'.sprintf($by, $uri)."\n",
                $times,
            );
        }

        return $text
            .str_repeat(
                '2026/03/14 09:43:02 [error] 2371#2371: *114990 connect() to unix:/run/php/php-fpm.sock failed (11:'
                    .' Resource temporarily unavailable) while connecting to upstream'.sprintf($by, '/')."\n",
                9,
            );
    }

    private static function fpm(): string
    {
        return '[14-Mar-2026 09:41:01] WARNING: [pool www] server reached pm.max_children setting (25), consider'
            ." raising it\n"
            .str_repeat(
                '[14-Mar-2026 09:44:30] NOTICE: [pool www] child 24925 exited with code 0 after 4852.680364 seconds'
                    ." from start\n[14-Mar-2026 09:44:30] NOTICE: [pool www] child 6893 started\n",
                3,
            );
    }
}
