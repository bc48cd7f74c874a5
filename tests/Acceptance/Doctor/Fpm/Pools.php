<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Fpm;

use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiRecords;
use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use PHPUnit\Framework\Assert;

/**
 * A PHP-FPM with pools of every kind. Every user can read its directory.
 */
final class Pools
{
    // Works until the file "held" is gone.
    private const HOLD = '<?php while (file_exists(__DIR__."/held")) { clearstatcache(); usleep(2000); } echo "done";';

    /** @var list<resource> */
    private array $connections = [];

    private function __construct(
        private readonly ChildProcess $daemon,
        public readonly TemporaryDirectory $directory,
    ) {}

    /**
     * @param array<string, array<string, string|int>> $pools settings by pool; %dir% stands for the directory. A pool
     *                                                          without "listen" listens at its socket: NAME.sock
     * @param array<string, string|int> $global
     * @param list<string> $flags
     */
    public static function start(array $pools, array $global = [], array $flags = []): self
    {
        $directory = TemporaryDirectory::create('fpm');
        chmod($directory->path, 0o755);
        self::script($directory, 'hold.php', self::HOLD);
        $config = self::config($directory, $pools, $global);
        $daemon = ChildProcess::start(new ProcessOptions(
            'php-fpm',
            [Programs::fpm(), '--nodaemonize', '--fpm-config', $config, ...$flags],
            $directory->file('log'),
            stopSignals: [Signal::Terminate],
        ));
        $first = $pools[array_key_first($pools)]['listen'] ?? $directory->file(array_key_first($pools).'.sock');
        $daemon->awaitReady(static fn (): bool => is_int($first) ? Ports::accepts($first) : self::listens($first));

        return new self($daemon, $directory);
    }

    /**
     * @param array<string, array<string, string|int>> $pools
     * @param array<string, string|int> $global
     */
    public static function config(TemporaryDirectory $directory, array $pools, array $global = []): string
    {
        $text = "[global]\nerror_log = {$directory->file('fpm.log')}\n".self::lines($global);

        foreach ($pools as $name => $settings) {
            $user = posix_geteuid() === 0
                ? ['user' => UnixUser::named('www-data')->user, 'group' => UnixUser::named('www-data')->group]
                : [];
            $text .= "[{$name}]\n"
                .self::lines(
                    $settings + $user
                        + [
                            'listen' => "{$directory->path}/\$pool.sock",
                            'pm' => 'static',
                            'pm.max_children' => 1,
                            'pm.status_path' => '/status',
                        ],
                );
        }

        return $directory->write('fpm.conf', str_replace('%dir%', $directory->path, $text));
    }

    /** Between bind() and listen() a socket is there and refuses. */
    private static function listens(string $socket): bool
    {
        return preg_match(
            '~ 00010000 \d+ \d+ +\d+ '.preg_quote($socket, '~').'$~m',
            (string) file_get_contents('/proc/net/unix'),
        ) === 1;
    }

    public function at(string $pool): Address
    {
        return Address::parse($this->directory->file("{$pool}.sock"));
    }

    public function pid(): int
    {
        return $this->daemon->pid;
    }

    public function write(string $name, string $code): string
    {
        return self::script($this->directory, $name, $code);
    }

    /** Requests that keep a worker busy, or wait for one, until release(). */
    public function hold(Address $address, int $count, string $uri = '/hold.php'): void
    {
        // Written again it would be another file, and for a moment none: a page that is held would end.
        if (! file_exists($this->directory->file('held'))) {
            $this->directory->write('held', '');
        }

        for ($i = 0; $i < $count; $i++) {
            $connection = stream_socket_client($address->target(), timeout: 5.0);
            Assert::assertNotFalse($connection);
            fwrite($connection, FastCgiRecords::request([
                'REQUEST_METHOD' => 'GET', 'SCRIPT_NAME' => '/hold.php',
                'SCRIPT_FILENAME' => $this->directory->file('hold.php'), 'REQUEST_URI' => $uri,
                'QUERY_STRING' => (string) parse_url($uri, PHP_URL_QUERY),
            ], ''));
            // A worker that has answered waits for the end of what it is sent.
            stream_socket_shutdown($connection, STREAM_SHUT_WR);
            $this->connections[] = $connection;
        }
    }

    /** All held requests are answered when it returns. */
    public function release(): void
    {
        @unlink($this->directory->file('held'));

        foreach ($this->connections as $connection) {
            stream_set_timeout($connection, 10);
            stream_get_contents($connection);
            fclose($connection);
        }

        $this->connections = [];
    }

    public function stop(): void
    {
        @unlink($this->directory->file('held'));
        $this->daemon->stop();
        $this->directory->remove();
    }

    private static function script(TemporaryDirectory $directory, string $name, string $code): string
    {
        $path = $directory->write($name, $code);
        chmod($path, 0o644);

        return $path;
    }

    /** @param array<string, string|int> $settings */
    private static function lines(array $settings): string
    {
        $lines = '';

        foreach ($settings as $name => $value) {
            $lines .= "{$name} = {$value}\n";
        }

        return $lines;
    }
}
