<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Core\SystemClock;
use Headroom\Process\Ports;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\MissingServer;
use RuntimeException;
use Symfony\Component\Process\InputStream;
use Symfony\Component\Process\Process;

/**
 * The SMTP server of tests/Smtp, in a process of its own.
 */
final class SmtpServer
{
    private const MODULES = __DIR__.'/../../../build/smtp/node_modules';

    private const PATIENCE_SECONDS = 30;

    private ?Process $process = null;

    /** Its end ends the server. */
    private ?InputStream $input = null;

    private int $port = 0;

    private function __construct(private readonly TemporaryDirectory $directory) {}

    /** Skips the test where it is not installed, and fails it where everything has to be. */
    public static function start(): self
    {
        if (! is_dir(self::MODULES.'/smtp-server')) {
            MissingServer::named('smtp', 'The SMTP server is not installed: bin/services install smtp');
        }

        $server = new self(TemporaryDirectory::create('headroom-smtp'));

        for ($try = 1; ; $try++) {
            // Not a port that the system chooses: an outgoing connection could take that while the server is down.
            $server->port = Ports::free();

            try {
                $server->up();

                return $server;
            } catch (RuntimeException $e) {
                // Another process took the port between the look and the bind.
                if ($try === 3 || ! str_contains($e->getMessage(), 'EADDRINUSE')) {
                    throw $e;
                }
            }
        }
    }

    /** On the port that it had before. */
    public function up(): void
    {
        $this->input = new InputStream;
        $process = new Process(
            ['node', __DIR__.'/../../Smtp/server.js', $this->directory->path, (string) $this->port],
            env: ['NODE_PATH' => self::MODULES],
            timeout: null,
        );
        $process->setInput($this->input);
        $process->start();
        $this->process = $process;
        $this->await(static fn (): bool => preg_match('/^ready \d+$/m', $process->getOutput()) === 1, 'ready');
    }

    public function down(): void
    {
        $this->process?->stop(1, SIGKILL);
        $this->process = null;
    }

    public function remove(): void
    {
        $this->down();
        $this->directory->remove();
    }

    /** @return array<string, string> of the application */
    public function environment(): array
    {
        return ['MAIL_MAILER' => 'smtp', 'MAIL_HOST' => '127.0.0.1', 'MAIL_PORT' => (string) $this->port];
    }

    /** @param string $order a file that tests/Smtp/server.js looks for */
    public function order(string $order): void
    {
        touch($this->directory->file($order));
    }

    public function revoke(string $order): void
    {
        unlink($this->directory->file($order));
    }

    /** @return list<array{to: list<string>, id: string, subject: string}> in the order in which they were taken */
    public function mails(): array
    {
        $path = $this->directory->file('mails.ndjson');
        $lines = is_file($path) ? trim((string) file_get_contents($path)) : '';
        $mails = [];

        foreach ($lines === '' ? [] : explode("\n", $lines) as $line) {
            /** @var array{to: list<string>, id: string, subject: string} $mail the server wrote it */
            $mail = json_decode($line, true, 4, JSON_THROW_ON_ERROR);
            $mails[] = $mail;
        }

        return $mails;
    }

    /** @return list<string> in the order in which they were served */
    public function recipients(): array
    {
        return array_map(static fn (array $mail): string => $mail['to'][0], $this->mails());
    }

    public function awaitMails(int $count): void
    {
        $this->await(fn (): bool => count($this->mails()) >= $count, "taken {$count} mails");
    }

    /** Until it has a mail for which it does not answer. */
    public function awaitHeld(): void
    {
        $this->await(fn (): bool => is_file($this->directory->file('held')), 'holding a mail');
    }

    /** Although it holds them. */
    public function letOneGo(): void
    {
        $this->order('one');
        $this->await(fn (): bool => ! is_file($this->directory->file('one')), 'answering for one mail');
    }

    /** @param callable(): bool $condition */
    private function await(callable $condition, string $what): void
    {
        $clock = new SystemClock;
        $until = $clock->monotonicNanos() + self::PATIENCE_SECONDS * 1_000_000_000;

        for (clearstatcache(); ! $condition(); clearstatcache()) {
            if ($this->process?->isRunning() !== true || $clock->monotonicNanos() > $until) {
                throw new RuntimeException("The SMTP server was never {$what}. {$this->process?->getErrorOutput()}");
            }

            $clock->sleep(5_000);
        }
    }
}
