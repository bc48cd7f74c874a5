<?php

declare(strict_types=1);

namespace Headroom\Preload\Fpm;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\Answer;
use Headroom\Host\Fpm\Client;
use Headroom\Host\Fpm\IniSettings;
use Headroom\Host\Fpm\Master;
use Headroom\Host\Fpm\PoolConfig;
use Headroom\Host\Fpm\UnableToAsk;
use Headroom\Preload\Page;
use Headroom\Preload\TargetApplication;
use Headroom\Process\InvalidServer;
use Headroom\Process\ShutdownHandler;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;

/**
 * A PHP-FPM with one worker that serves the application for us alone, with php.ini and the
 * extensions that PHP-FPM has here.
 *
 * @internal
 */
final class PrivateFpm implements Stoppable
{
    private const ANSWER_MILLIS = 60_000;

    private const ANSWER_BYTES = 67_108_864;

    /** PHP-FPM answers it itself, and runs no script. */
    private const STATUS_PATH = '/headroom-preload-status';

    private readonly Client $client;

    private readonly Address $address;

    private int $logRead = 0;

    private function __construct(
        private readonly Master $master,
        private readonly TemporaryDirectory $directory,
        private readonly TargetApplication $site,
        public readonly float $startMillis,
        Clock $clock,
    ) {
        $this->client = new Client(answerMillis: self::ANSWER_MILLIS, limit: self::ANSWER_BYTES, clock: $clock);
        $this->address = Address::parse($master->socket);
    }

    /**
     * @param ?string $preload script, absolute
     * @param array<string, string|int|bool> $ini
     *
     * @throws UnableToFindProgram without PHP-FPM
     * @throws UnableToStart with what PHP said, when it does not start with that script
     */
    public static function start(
        TargetApplication $site,
        ?string $preload = null,
        array $ini = [],
        Clock $clock = new SystemClock,
    ): self {
        $directory = TemporaryDirectory::create('preload', $site->account);

        try {
            return self::startIn($directory, $site, $preload, $ini, $clock);
        } catch (UnableToFindProgram|UnableToStart|InvalidServer $e) {
            $log = self::lines($directory->file('php.log'), 0);
            $directory->remove();

            throw $e instanceof UnableToStart
                ? UnableToStart::exited('PHP-FPM', null, implode("\n", [...array_slice($log, -10), $e->log]))
                : $e;
        }
    }

    public function stop(): void
    {
        $this->master->stop();
        $this->directory->remove();
    }

    public function __destruct()
    {
        $this->stop();
    }

    /**
     * @param array<string, string> $parameters besides those of a web server
     *
     * @throws UnableToAsk
     */
    public function ask(Page $page, array $parameters = []): PageResponse
    {
        $this->newLines();
        $answer = $this->client->ask($this->address, [...$this->site->parameters($page), ...$parameters], $page->body);

        return PageResponse::of($answer, $this->newLines());
    }

    /**
     * As ask(), and waits for what PHP does after it has sent the answer, such as terminate() of Laravel's kernel.
     *
     * @throws UnableToAsk
     */
    public function askToItsEnd(Page $page): PageResponse
    {
        $this->newLines();
        $workers = $this->master->workerPids();
        $answer = $this->client->ask($this->address, $this->site->parameters($page), $page->body);
        // The only worker takes another request once this one is over, or its successor does.
        $this->client->get($this->address, self::STATUS_PATH);

        return PageResponse::of($answer, $this->newLines(), $this->master->workerPids() !== $workers);
    }

    /**
     * Has the worker run a script of ours.
     *
     * @throws UnableToAsk
     * @throws UnableToStart
     */
    public function run(string $code): Answer
    {
        $name = bin2hex(random_bytes(8)).'.php';
        $path = $this->directory->write($name, $code);
        chmod($path, 0o444);

        try {
            return $this->client->get($this->address, $path);
        } catch (UnableToAsk $e) {
            $account = $this->site->account;
            $closed = $account === null ? null : $this->directory->closedTo($account);

            throw $account === null || $closed === null
                ? $e
                : UnableToStart::directory($closed, "entered by {$account->user}");
        } finally {
            unlink($path);
        }
    }

    /** @return list<string> what PHP has logged since it started or since the last request */
    public function newLines(): array
    {
        $file = $this->directory->file('php.log');
        $lines = self::lines($file, $this->logRead);
        clearstatcache(true, $file);
        $this->logRead = is_file($file) ? (int) filesize($file) : 0;

        return $lines;
    }

    /** CPU that the worker has used, in nanoseconds; null where the kernel does not tell. */
    public function cpuNanos(): ?int
    {
        $pid = $this->master->workerPids()[0] ?? 0;
        $text = @file_get_contents("/proc/{$pid}/schedstat");

        return $text === false ? null : (int) $text;
    }

    public function directory(): string
    {
        return $this->directory->path;
    }

    /** @param array<string, string|int|bool> $ini */
    private static function startIn(
        TemporaryDirectory $directory,
        TargetApplication $site,
        ?string $preload,
        array $ini,
        Clock $clock,
    ): self {
        $own = [
            // One that php.ini has is not wanted beside it.
            'opcache.preload' => $preload ?? '',
            'log_errors' => true,
            'display_errors' => false,
            'error_log' => $directory->file('php.log'),
            // A list that was just written is to be taken.
            'opcache.file_update_protection' => 0,
        ];

        if ($site->account !== null && $preload !== null) {
            $own['opcache.preload_user'] = $site->account->user;
        }

        // Else it would be root's, when the master is the first to log something.
        $log = $directory->write('php.log', '');

        if ($site->account !== null) {
            chown($log, $site->account->user);
        }

        $before = $clock->monotonicNanos();
        $pool = new PoolConfig(1, $site->account, statusPath: self::STATUS_PATH);
        $settings = new IniSettings([...$own, ...$site->ini, ...$ini]);
        $master = Master::start($pool, $directory, $site->env, $settings, $clock);

        $fpm = new self($master, $directory, $site, ($clock->monotonicNanos() - $before) / 1e6, $clock);
        ShutdownHandler::stop($fpm);

        return $fpm;
    }

    /** @return list<string> */
    private static function lines(string $file, int $from): array
    {
        $text = is_file($file) ? (string) file_get_contents($file, offset: $from) : '';

        return array_values(array_filter(
            array_map(rtrim(...), explode("\n", $text)),
            static fn (string $line): bool => $line !== '',
        ));
    }
}
