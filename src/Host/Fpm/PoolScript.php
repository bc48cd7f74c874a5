<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

use Headroom\Process\ShutdownHandler;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToStart;

/**
 * A script for a pool to run. Other users cannot find it: its directory can be entered but not listed.
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
            // Random, because a user who guesses the name could make a pool run the script too.
            $script = new self($directory, $directory->write(bin2hex(random_bytes(16)).'.php', $code));
        } catch (UnableToStart $e) {
            $directory->remove();

            throw $e;
        }

        // The pool's user, which is not known here, must read the file; chmod(2) ignores the umask.
        chmod($script->path, 0o444);
        chmod($directory->path, 0o711);
        ShutdownHandler::stop($script);

        return $script;
    }

    /**
     * Creates an empty file of the same name next to the script for the pool's user to write to.
     *
     * @throws UnableToStart
     */
    public function output(): string
    {
        $path = $this->directory->write(basename($this->path, '.php').self::OUTPUT, '');

        return chmod($path, 0o666) ? $path : throw UnableToStart::directory($path, 'written');
    }

    /** opcache does not cache a file that is newer than the request, so the script takes no memory there. */
    public function keepOutOfOpcache(int $untilSeconds): void
    {
        touch($this->path, $untilSeconds);
    }

    public function stop(): void
    {
        $this->directory->remove();
    }
}
