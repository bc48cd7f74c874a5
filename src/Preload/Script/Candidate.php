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
 * A script beside the one that is installed, in the same folder, since it finds the application from there. It is tried
 * as it will be installed, byte for byte.
 *
 * @internal
 */
final class Candidate implements Stoppable
{
    private const LEFT_SECONDS = 3_600;

    private readonly string $path;

    private string $text = '';

    /**
     * @param ?Script $script null where there is none yet
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
     * Before all the work: whether there is a place for it, and nobody else's file in it.
     *
     * @throws UnableToPreload
     */
    public function check(): void
    {
        if (is_file($this->installed) && Installed::at($this->installed) === null) {
            throw UnableToPreload::notOurs($this->installed);
        }

        if (! is_dir(dirname($this->installed))) {
            throw UnableToPreload::noFolder(dirname($this->installed));
        }

        $this->sweep();
        $this->put('');
        $this->stop();
    }

    /** What runs left that were killed; one that is under way is younger. */
    private function sweep(): void
    {
        $left = glob("{$this->prefix()}-????????????.php");

        foreach ($left === false ? [] : $left as $file) {
            if (@filemtime($file) < intdiv($this->clock->micros(), 1_000_000) - self::LEFT_SECONDS) {
                $this->rights()->during(static fn (): bool => @unlink($file));
            }
        }
    }

    /**
     * @return string its path
     *
     * @throws UnableToPreload
     */
    public function write(Selection $selection): string
    {
        $this->text = $this->script?->text($selection) ?? '';
        $this->put($this->text);

        return $this->path;
    }

    /**
     * What was tried last is what is installed: its hashes are of the files as they were then.
     *
     * @throws UnableToPreload
     */
    public function confirm(Selection $selection): void
    {
        if ($this->script?->text($selection) !== $this->text) {
            throw UnableToPreload::changedMeanwhile();
        }
    }

    /** Whether the same was installed before. */
    public function isInstalled(): bool
    {
        return $this->rights()
            ->during(fn (): bool => is_file($this->installed) && file_get_contents($this->installed) === $this->text);
    }

    /** @throws UnableToPreload */
    public function install(): void
    {
        if (! FileOperation::run(
            fn (): bool => $this->rights()->during(fn (): bool => rename($this->path, $this->installed)),
            $reason,
        )) {
            throw UnableToPreload::notWritten($this->installed, $reason);
        }
    }

    public function stop(): void
    {
        $this->rights()->during(fn (): bool => @unlink($this->path));
    }

    /** The folder of cached files is the workers' as a rule. */
    private function rights(): EffectiveUser
    {
        return EffectiveUser::in(dirname($this->installed));
    }

    /** @throws UnableToPreload */
    private function put(string $text): void
    {
        // PHP-FPM may preload it as another user.
        $write = fn (): bool => (@lstat($this->path) === false || unlink($this->path))
            && AtomicFile::make($this->path, $text, 0o644);

        if (! FileOperation::run(fn (): bool => $this->rights()->during($write), $reason)) {
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
