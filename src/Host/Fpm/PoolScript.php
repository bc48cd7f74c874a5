<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

use Headroom\Host\AtExit;
use Headroom\Host\Stoppable;
use Headroom\Host\TemporaryDirectory;
use Headroom\Host\UnableToStart;

/**
 * A script that a pool runs for us and nobody else finds: its directory can be entered but not listed.
 *
 * @internal
 */
final readonly class PoolScript implements Stoppable
{
    private function __construct(private TemporaryDirectory $directory, public string $path) {}

    /**
     * @param ?int $modified Unix seconds that the file is to be of; null: now
     *
     * @throws UnableToStart
     */
    public static function write(string $code, ?int $modified = null): self
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

        if ($modified !== null) {
            touch($script->path, $modified);
        }

        AtExit::stop($script);

        return $script;
    }

    /**
     * A file beside it that the pool's user writes to, whichever that is.
     *
     * @throws UnableToStart
     */
    public function writable(string $name): string
    {
        $path = $this->directory->file($name);

        return @touch($path) && @chmod($path, 0o666) ? $path : throw UnableToStart::directory($path, 'written');
    }

    public function stop(): void
    {
        $this->directory->remove();
    }
}
