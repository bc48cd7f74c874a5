<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Console\Logs\LogsErrorCommand;
use Headroom\Console\Logs\LogsSlowCommand;
use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Doctor\Fpm\Eventually;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Acceptance\Host\Site;
use Headroom\Tests\Support\Redis\Installed;
use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * The lines that a real PHP-FPM writes about a request that waits: for a real Redis, in a sleep, and, in its error log,
 * about the trace. Where FPM may not trace, that has to be said.
 */
final class SlowLogOfFpmTest extends TestCase
{
    /** The session of Laravel in Redis, as a request has it; and a sleep of the application's own. */
    private const FRONT = <<<'PHP'
        <?php
        require '%s/vendor/autoload.php';

        function report(): void
        {
            sleep(3);
        }

        if (isset($_GET['sleep'])) {
            report();
            exit;
        }

        $redis = new Illuminate\Redis\RedisManager(null, 'phpredis', ['default' => ['host' => '127.0.0.1', 'port' => %d, 'database' => 0, 'read_timeout' => 20]]);
        $session = new Illuminate\Session\Store('s', new Illuminate\Session\CacheBasedSessionHandler(new Illuminate\Cache\Repository(new Illuminate\Cache\RedisStore($redis)), 10));
        $session->start();
        $session->save();
        PHP;

    private TemporaryDirectory $directory;

    private ?WebStack $stack = null;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->directory = TemporaryDirectory::create('slow');
    }

    protected function tearDown(): void
    {
        $this->stack?->stop();

        if (isset($this->directory)) {
            $this->directory->remove();
        }
    }

    #[Test]
    public function a_session_that_waits_for_redis_is_named(): void
    {
        Installed::phpRedis();
        $redis = RedisServer::start();
        $stack = $this->start($redis->port);
        // Reading goes on, so that it is the session's write that waits.
        $redis->ask('CLIENT', 'PAUSE', '4000', 'WRITE');
        Site::get($stack->url().'/');

        $document = $this->slowlog($stack, 1);

        self::assertIsArray($document['verdict']);
        self::assertSame(
            ['redis', 'phpredis', 'session_write'],
            [$document['verdict']['wait'], $document['verdict']['client'], $document['verdict']['purpose']],
        );
        self::assertIsArray($document['vendor']);
        self::assertIsArray($document['vendor'][0]);
        self::assertIsString($document['vendor'][0]['name']);
        self::assertStringContainsString('Illuminate/Redis/Connections/', $document['vendor'][0]['name']);
        self::assertSame([['name' => 'www', 'count' => 1, 'share' => 1.0]], $document['pools']);
    }

    #[Test]
    public function a_sleep_of_the_application_is_named_with_its_place(): void
    {
        $stack = $this->start(1);
        Site::get($stack->url().'/?sleep=1');

        $document = $this->slowlog($stack, 1);

        self::assertIsArray($document['verdict']);
        self::assertSame('sleep', $document['verdict']['wait']);
        self::assertSame([['name' => 'sleep()', 'count' => 1, 'share' => 1.0]], $document['calls']);
        self::assertIsArray($document['application']);
        self::assertIsArray($document['application'][0]);
        self::assertIsString($document['application'][0]['name']);
        self::assertStringEndsWith('/index.php:6', $document['application'][0]['name']);

        $kinds = array_column($this->errorlog($stack), 'count', 'kind');
        self::assertSame(1, $kinds['fpm_slow_request'] ?? 0);
        self::assertArrayNotHasKey('fpm_other', $kinds, 'All messages of FPM are known.');
        self::assertArrayNotHasKey('fpm_trace_failed', $kinds);
    }

    #[Test]
    public function messages_of_nginx_about_a_failing_fpm_are_known(): void
    {
        $stack = $this->start(1, terminateSeconds: 1);
        Site::get($stack->url().'/?sleep=1');
        // FPM says so after it has done it.
        Eventually::true(
            fn (): bool => (array_column($this->errorlog($stack), 'count', 'kind')['fpm_terminated'] ?? 0) === 1,
        );
        $stack->fpm()->stop();
        Site::get($stack->url().'/any?secret=1');
        $kinds = array_column($this->kinds($stack->file('nginx.log')), null, 'kind');
        $lost = ($kinds['upstream_reset'] ?? null) ?? $kinds['upstream_closed'] ?? ['count' => 0];
        $gone = ($kinds['upstream_socket_missing'] ?? null)
            ?? $kinds['upstream_refused']
            ?? ['count' => 0, 'uris' => []];

        self::assertSame(
            [1, 1],
            [$lost['count'], $gone['count']],
            (string) file_get_contents($stack->file('nginx.log')),
        );
        self::assertSame([['name' => 'GET /any', 'count' => 1, 'share' => 1.0]], $gone['uris']);
        self::assertArrayNotHasKey('nginx_other', $kinds);
    }

    private function start(int $redis, ?int $terminateSeconds = null): WebStack
    {
        chmod($this->directory->path, 0o755);
        $front = $this->directory->write('index.php', sprintf(self::FRONT, dirname(__DIR__, 3), $redis));
        chmod($front, 0o644);

        return $this->stack = WebStack::start(new WebConfig(
            $front,
            1,
            requestTerminateSeconds: $terminateSeconds,
            slowSeconds: $terminateSeconds === null ? 1 : null,
        ));
    }

    /** @return array<array-key, mixed> */
    private function slowlog(WebStack $stack, int $traces): array
    {
        $kinds = array_column($this->errorlog($stack), 'count', 'kind');

        if (isset($kinds['fpm_trace_failed'])) {
            self::assertGreaterThan(0, $kinds['fpm_slow_request'] ?? 0);
            self::markTestSkipped(
                'PHP-FPM may not trace its children here (ptrace), which its error log says and logs:error has found.',
            );
        }

        $document = $this->document(new LogsSlowCommand, $stack->file('slow.log'));
        self::assertSame(
            [$traces, 0, 0, 0],
            [$document['traces'], $document['truncated'], $document['dump_failed'], $document['unread_lines']],
            (string) file_get_contents($stack->file('slow.log')),
        );

        return $document;
    }

    /** @return list<array<array-key, mixed>> */
    private function errorlog(WebStack $stack): array
    {
        return $this->kinds($stack->file('fpm.log'));
    }

    /** @return list<array<array-key, mixed>> */
    private function kinds(string $file): array
    {
        $document = $this->document(new LogsErrorCommand, $file);
        self::assertIsArray($document['kinds']);
        self::assertSame(0, $document['unread_lines'], (string) file_get_contents($file));

        return array_values(array_filter($document['kinds'], is_array(...)));
    }

    /** @return array<array-key, mixed> */
    private function document(Command $command, string $file): array
    {
        $tester = new CommandTester($command);
        self::assertSame(0, $tester->execute(['file' => [$file], '--json' => true]));
        $document = json_decode($tester->getDisplay(), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($document);

        return $document;
    }
}
