<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

use Headroom\Process\ShutdownHandler;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToStart;

/**
 * A script that a pool runs for us and nobody else finds: its directory can be entered but not listed.
 *
 * @internal
 */
final readonly class PoolScript implements Stoppable
{
    public const OUTPUT = '.out';

    private function __construct(private TemporaryDirectory $directory, public string $path) {}

    /** @throws UnableToStart */
    public static function write(string $code): self
    {
        $directory = TemporaryDirectory::create('probe');

        try {
            // Random, because whoever guesses it could have a pool run it too.
            $script = new self($directory, $directory->write(bin2hex(random_bytes(16)).'.php', $code));
        } catch (UnableToStart $e) {
            $directory->remove();

            throw $e;
        }

        // The pool's user, whoever that is, reads the file; umask(2) has no say in chmod(2).
        chmod($script->path, 0o444);
        chmod($directory->path, 0o711);
        ShutdownHandler::stop($script);

        return $script;
    }

    /**
     * An empty file beside it, of its name, that the pool's user writes to.
     *
     * @throws UnableToStart
     */
    public function output(): string
    {
        $path = $this->directory->write(basename($this->path, '.php').self::OUTPUT, '');

        return chmod($path, 0o666) ? $path : throw UnableToStart::directory($path, 'written');
    }

    /** opcache keeps no file that is newer than the request, so that the script takes no place in it. */
    public function keepOutOfOpcache(int $untilSeconds): void
    {
        touch($this->path, $untilSeconds);
    }

    public function stop(): void
    {
        $this->directory->remove();
    }
}
