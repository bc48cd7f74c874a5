<?php

declare(strict_types=1);

namespace Headroom\Preload\Script;

use Headroom\Core\Clock;
use Headroom\Preload\Selection\Selection;
use Headroom\Preload\UnableToPreload;
use Headroom\Process\ShutdownHandler;
use Headroom\Process\Stoppable;
use Headroom\Support\AtomicFile;
use Headroom\Support\EffectiveUser;
use Headroom\Support\FileOperation;

/**
 * A preload script that is not installed yet. It is in the same directory as the installed one, because it derives the
 * root of the application from its own path, and is tested byte for byte as it will be installed.
 *
 * @internal
 */
final class CandidateScript implements Stoppable
{
    private const STALE_SECONDS = 3_600;

    private readonly string $path;

    private string $text = '';

    /**
     * @param ?Script $script null before there is one
     * @param string $installed absolute
     */
    public function __construct(
        private readonly ?Script $script,
        private readonly string $installed,
        private readonly Clock $clock,
    ) {
        $this->path = "{$this->prefix()}-".bin2hex(random_bytes(6)).'.php';
        ShutdownHandler::stop($this);
    }

    /**
     * Checks before the long work that the script can be written, and that it replaces no foreign file.
     *
     * @throws UnableToPreload
     */
    public function check(): void
    {
        if (is_file($this->installed) && InstalledScript::at($this->installed) === null) {
            throw UnableToPreload::notOurs($this->installed);
        }

        if (! is_dir(dirname($this->installed))) {
            throw UnableToPreload::noDirectory(dirname($this->installed));
        }

        $this->sweep();
        $this->replace('');
        $this->stop();
    }

    /** Removes files of killed runs. Those of a current run are younger. */
    private function sweep(): void
    {
        $stale = glob("{$this->prefix()}-????????????.php");

        foreach ($stale === false ? [] : $stale as $file) {
            if (@filemtime($file) < intdiv($this->clock->micros(), 1_000_000) - self::STALE_SECONDS) {
                $this->owner()->during(static fn (): bool => @unlink($file));
            }
        }
    }

    /**
     * @return string path of the script
     *
     * @throws UnableToPreload
     */
    public function write(Selection $selection): string
    {
        $this->text = $this->script?->text($selection) ?? '';
        $this->replace($this->text);

        return $this->path;
    }

    /**
     * Fails if a file has changed since the script with its hashes was written and tested.
     *
     * @throws UnableToPreload
     */
    public function confirm(Selection $selection): void
    {
        if ($this->script?->text($selection) !== $this->text) {
            throw UnableToPreload::changedMeanwhile();
        }
    }

    /** Whether the same script is installed already. */
    public function isInstalled(): bool
    {
        return $this->owner()
            ->during(fn (): bool => is_file($this->installed) && file_get_contents($this->installed) === $this->text);
    }

    /** @throws UnableToPreload */
    public function install(): void
    {
        if (! FileOperation::run(
            fn (): bool => $this->owner()->during(fn (): bool => rename($this->path, $this->installed)),
            $reason,
        )) {
            throw UnableToPreload::notWritten($this->installed, $reason);
        }
    }

    public function stop(): void
    {
        $this->owner()->during(fn (): bool => @unlink($this->path));
    }

    /** The directory usually belongs to the user of the workers. */
    private function owner(): EffectiveUser
    {
        return EffectiveUser::in(dirname($this->installed));
    }

    /** @throws UnableToPreload */
    private function replace(string $text): void
    {
        // PHP-FPM may preload the script as another user.
        $write = fn (): bool => (@lstat($this->path) === false || unlink($this->path))
            && AtomicFile::make($this->path, $text, 0o644);

        if (! FileOperation::run(fn (): bool => $this->owner()->during($write), $reason)) {
            throw UnableToPreload::notWritten(
                $this->path,
                $reason === 'unknown reason' ? 'the disk may be full' : $reason,
            );
        }
    }

    private function prefix(): string
    {
        return dirname($this->installed).'/.'.basename($this->installed, '.php');
    }
}
