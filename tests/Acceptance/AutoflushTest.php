<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance;

use Headroom\Core\SystemClock;
use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Spool\FileStore\State\LockHolder;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Laravel\Support\Http;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\Sentence;
use PDO;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * nginx and PHP-FPM, no cron and no worker. The database is locked by the test, so that a flush is held in the middle
 * of its work for as long as the test likes.
 */
final class AutoflushTest extends TestCase
{
    private const PATIENCE_SECONDS = 20;

    private ScratchApplication $app;

    private ?WebStack $stack = null;

    protected function setUp(): void
    {
        $this->app = ScratchApplication::onThisCheckout();
    }

    protected function tearDown(): void
    {
        $this->stack?->stop();
        $this->app->remove();
    }

    #[Test, Group('day-3')]
    public function the_client_has_its_answer_before_the_flush_ends_and_rows_arrive_without_cron(): void
    {
        $stack = $this->serve('3600');
        $lock = $this->lock();
        [$status, $body] = Http::post("{$stack->url()}/events/3");
        self::assertSame(200, $status, $this->app->log());
        self::assertIsArray($body);
        $this->await($this->isFlushing(...), 'The request whose answer is here does not flush.');

        // A request that arrives meanwhile neither waits nor flushes.
        self::assertSame(200, Http::post("{$stack->url()}/events/2")[0]);
        self::assertTrue($this->isFlushing());

        $lock->exec('rollback');
        $this->await(fn (): bool => $this->rows() >= 3, 'The rows never came.');
        $this->await(fn (): bool => ! $this->isFlushing(), 'The flush never ended.');
        self::assertSame(0, $this->app->artisan('spool:flush')->exit);
        self::assertSame(5, $this->rows());
        self::assertSame('', $this->app->log());
    }

    #[Test, Group('day-2')]
    public function not_before_so_many_seconds_are_over(): void
    {
        $stack = $this->serve('3600', 1);
        $this->post($stack, 1);
        self::assertSame(1, $this->rows());

        touch(
            $this->app->path('shared/buffer/autoflush'),
            (int) filemtime($this->app->path('shared/buffer/autoflush')) - 1000,
        );
        $this->post($stack, 2);
        self::assertSame(1, $this->rows());

        touch(
            $this->app->path('shared/buffer/autoflush'),
            (int) filemtime($this->app->path('shared/buffer/autoflush')) - 3600,
        );
        $this->post($stack, 1);
        self::assertSame(4, $this->rows());
    }

    #[Test, Group('day-2')]
    public function killed_in_the_middle_of_it_nothing_is_lost_and_nothing_arrives_twice(): void
    {
        $stack = $this->serve('3600');
        $lock = $this->lock();
        self::assertSame(200, Http::post("{$stack->url()}/events/3")[0]);
        $this->await($this->isFlushing(...), 'It does not flush.');

        foreach ($stack->workerPids() as $pid) {
            posix_kill($pid, SIGKILL);
        }

        $this->await(fn (): bool => ! $this->isFlushing(), 'The lock outlived its process.');
        $lock->exec('rollback');
        self::assertSame(0, $this->rows());
        self::assertSame(0, $this->app->artisan('spool:flush')->exit);
        self::assertSame(3, $this->rows());
    }

    #[Test, Group('day-3')]
    public function a_failed_flush_is_in_the_log_and_not_in_the_answer(): void
    {
        $stack = $this->serve('3600');
        $this->app->execute('drop table api_events');
        self::assertSame(200, Http::post("{$stack->url()}/events/1")[0]);
        $this->await(
            fn (): bool => preg_match("/\\.ERROR: .*'api-events'/", $this->app->log()) === 1,
            'The log has no line of it.',
        );
    }

    #[Test, Group('day-1')]
    public function a_wrong_value_disturbs_no_request(): void
    {
        $stack = $this->serve("'often'");
        self::assertSame(200, Http::post("{$stack->url()}/events/1")[0]);
        self::assertSame(200, Http::post("{$stack->url()}/events/1")[0]);
        Sentence::assertIn(
            InvalidConfig::notAllowed('spool.autoflush', 'often', '* 1 * 86400'),
            $this->app->artisan('spool:flush')->err,
        );
        self::assertSame('', $this->app->log());
    }

    #[Test, Group('day-1')]
    public function where_the_client_would_wait_and_in_a_console_it_does_nothing(): void
    {
        $this->install('1');
        $server = $this->app->serve();

        try {
            self::assertSame(200, Http::post("{$server->url()}/events/2")[0]);
            // The same process answers: it is done with the one before.
            self::assertSame(200, Http::get("{$server->url()}/plain")[0]);
        } finally {
            $server->stop();
        }

        $this->app->artisan('app:buffer', '1');
        self::assertFileDoesNotExist($this->app->path('shared/buffer/autoflush'));
        self::assertSame(0, $this->rows());
    }

    #[Test]
    public function a_request_sends_no_alert_and_starts_no_check(): void
    {
        $slack = ScriptedServer::start();

        try {
            $stack = $this->serve('1', 1, '');
            $this->app->config('headroom', "['notify' => ['slack' => '{$slack->url()}']]");
            $this->app->execute('create unique index once on api_events (event)');
            $slack->always(['status' => 200, 'body' => 'ok', 'keeps' => false]);

            for ($request = 0; $request < 3; $request++) {
                $this->post($stack, 1);
                touch($this->app->path('shared/buffer/autoflush'), 1);
            }

            self::assertNotSame([], glob($this->app->path('shared/buffer/buckets/api-events/dead/*')));
            self::assertSame([], $this->children($stack->workerPids()));
            self::assertFileDoesNotExist($this->app->path('shared/buffer/alerts'));
            self::assertSame(0, $this->messages($slack));

            self::assertSame(0, $this->app->artisan('spool:flush')->exit);
            $this->await(fn (): bool => $this->messages($slack) === 1, 'The flush of a command started none.');
        } finally {
            $slack->stop();
        }
    }

    /** @phpstan-impure */
    private function messages(ScriptedServer $slack): int
    {
        return count($slack->requests());
    }

    /**
     * @param list<int> $pids
     * @return list<string> pids of their children
     */
    private function children(array $pids): array
    {
        return array_values(array_filter(array_map(
            static fn (int $pid): string => trim((string) @file_get_contents("/proc/{$pid}/task/{$pid}/children")),
            $pids,
        ), static fn (string $pids): bool => $pids !== ''));
    }

    private function install(string $autoflush): void
    {
        $this->app->shareWithEverybody();
        $this->app->config(
            'spool',
            "['path' => base_path('shared/buffer'), 'schedule' => false, 'autoflush' => {$autoflush}, 'heartbeats' =>"
                ." false, 'buckets' => ['api-events' => ['sink' => 'database', 'table' => 'api_events']]]",
        );
        $this->app->migrate();
    }

    /** As on a host that lets PHP start no process. */
    private function serve(
        string $autoflush,
        int $workers = 3,
        string $disabled = 'proc_open,exec,set_time_limit',
    ): WebStack {
        Needs::webStack();
        is_readable('/proc/locks') || self::markTestSkipped('There is no /proc/locks here to see a flush in.');
        $this->install($autoflush);

        return $this->stack = WebStack::start(new WebConfig(
            $this->app->path('public/index.php'),
            workers: $workers,
            env: $this->app->env(),
            ini: ['disable_functions' => $disabled, 'max_execution_time' => 2],
        ));
    }

    /** Of one worker, which answers the second request once it is done with the first. */
    private function post(WebStack $stack, int $events): void
    {
        self::assertSame(200, Http::post("{$stack->url()}/events/{$events}")[0]);
        self::assertSame(200, Http::get("{$stack->url()}/plain")[0]);
        clearstatcache();
    }

    private function lock(): PDO
    {
        $pdo = new PDO('sqlite:'.$this->app->path('database/database.sqlite'));
        $pdo->exec('begin exclusive');

        return $pdo;
    }

    /** Whether a process holds the bucket's flush lock. */
    private function isFlushing(): bool
    {
        clearstatcache();
        $inode = @fileinode($this->app->path('shared/buffer/buckets/api-events/flush.lock'));

        // As the kernel tells it: trying the lock could make the flusher find it busy.
        return $inode !== false && LockHolder::of($inode) !== null;
    }

    private function rows(): int
    {
        return count($this->app->rows('select id from api_events'));
    }

    private function await(callable $isMet, string $otherwise): void
    {
        $clock = new SystemClock;
        $deadline = $clock->monotonicNanos() + self::PATIENCE_SECONDS * 1_000_000_000;

        while ($isMet() !== true) {
            $clock->monotonicNanos() < $deadline ? $clock->sleep(2000) : self::fail("{$otherwise} {$this->app->log()}");
        }
    }
}
