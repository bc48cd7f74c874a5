<?php

declare(strict_types=1);

namespace Headroom\Preload\Fpm;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiClient;
use Headroom\Host\Fpm\FastCgiResponse;
use Headroom\Host\Fpm\IniSettings;
use Headroom\Host\Fpm\Master;
use Headroom\Host\Fpm\PoolConfig;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Preload\Page;
use Headroom\Preload\TargetApplication;
use Headroom\Process\InvalidServerConfig;
use Headroom\Process\ShutdownHandler;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;

/**
 * A PHP-FPM with one worker that serves the application to this process only, with the php.ini and the extensions of
 * the PHP-FPM of this machine.
 *
 * @internal
 */
final class PrivateFpm implements Stoppable
{
    private const ANSWER_MILLIS = 60_000;

    private const ANSWER_BYTES = 67_108_864;

    /** PHP-FPM answers this path itself and runs no script. */
    private const STATUS_PATH = '/headroom-preload-status';

    private readonly FastCgiClient $client;

    private readonly Address $address;

    private int $logRead = 0;

    private function __construct(
        private readonly Master $master,
        private readonly TemporaryDirectory $directory,
        private readonly TargetApplication $application,
        public readonly float $startMillis,
        Clock $clock,
    ) {
        $this->client = new FastCgiClient(answerMillis: self::ANSWER_MILLIS, limit: self::ANSWER_BYTES, clock: $clock);
        $this->address = Address::parse($master->socket);
    }

    /**
     * @param ?string $preload path of the preload script, absolute
     * @param array<string, string|int|bool> $ini
     *
     * @throws UnableToFindProgram without PHP-FPM
     * @throws UnableToStart with the log of PHP, if it does not start with that script
     */
    public static function start(
        TargetApplication $application,
        ?string $preload = null,
        array $ini = [],
        Clock $clock = new SystemClock,
    ): self {
        $directory = TemporaryDirectory::create('preload', $application->account);

        try {
            return self::startIn($directory, $application, $preload, $ini, $clock);
        } catch (UnableToFindProgram|UnableToStart|InvalidServerConfig $e) {
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
     * @param array<string, string> $parameters in addition to those of a web server
     *
     * @throws UnableToQueryPool
     */
    public function ask(Page $page, array $parameters = []): PageResponse
    {
        $this->newLines();
        $answer = $this->client->ask(
            $this->address,
            [...$this->application->parameters($page), ...$parameters],
            $page->body,
        );

        return PageResponse::of($answer, $this->newLines());
    }

    /**
     * Like ask(), but waits for what PHP does after it has sent the answer, such as terminate() of Laravel's kernel.
     *
     * @throws UnableToQueryPool
     */
    public function askToItsEnd(Page $page): PageResponse
    {
        $this->newLines();
        $workers = $this->master->workerPids();
        $answer = $this->client->ask($this->address, $this->application->parameters($page), $page->body);
        // The only worker, or its successor, accepts another request only after this one has ended.
        $this->client->get($this->address, self::STATUS_PATH);

        return PageResponse::of($answer, $this->newLines(), $this->master->workerPids() !== $workers);
    }

    /**
     * Runs PHP code in the worker.
     *
     * @throws UnableToQueryPool
     * @throws UnableToStart
     */
    public function run(string $code): FastCgiResponse
    {
        $name = bin2hex(random_bytes(8)).'.php';
        $path = $this->directory->write($name, $code);
        chmod($path, 0o444);

        try {
            return $this->client->get($this->address, $path);
        } catch (UnableToQueryPool $e) {
            $account = $this->application->account;
            $closed = $account === null ? null : $this->directory->closedTo($account);

            throw $account === null || $closed === null
                ? $e
                : UnableToStart::directory($closed, "entered by {$account->user}");
        } finally {
            unlink($path);
        }
    }

    /** @return list<string> lines that PHP has logged since the last call */
    public function newLines(): array
    {
        $file = $this->directory->file('php.log');
        $lines = self::lines($file, $this->logRead);
        clearstatcache(true, $file);
        $this->logRead = is_file($file) ? (int) filesize($file) : 0;

        return $lines;
    }

    /** CPU time of the worker in nanoseconds; null if the kernel does not report it. */
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
        TargetApplication $application,
        ?string $preload,
        array $ini,
        Clock $clock,
    ): self {
        $own = [
            // php.ini may set another script.
            'opcache.preload' => $preload ?? '',
            'log_errors' => true,
            'display_errors' => false,
            'error_log' => $directory->file('php.log'),
            // By default opcache does not cache files that were written within the last two seconds.
            'opcache.file_update_protection' => 0,
        ];

        if ($application->account !== null && $preload !== null) {
            $own['opcache.preload_user'] = $application->account->user;
        }

        // If the master logged first, the file would belong to root.
        $log = $directory->write('php.log', '');

        if ($application->account !== null) {
            chown($log, $application->account->user);
        }

        $before = $clock->monotonicNanos();
        $pool = new PoolConfig(1, $application->account, statusPath: self::STATUS_PATH);
        $settings = new IniSettings([...$own, ...$application->ini, ...$ini]);
        $master = Master::start($pool, $directory, $application->env, $settings, $clock);

        $fpm = new self($master, $directory, $application, ($clock->monotonicNanos() - $before) / 1e6, $clock);
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
