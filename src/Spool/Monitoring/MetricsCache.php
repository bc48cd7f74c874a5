<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Closure;
use Headroom\Core\Clock;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\RootDirectory;

/**
 * Keeps the text of the metrics in a file of the buffer, so that frequent requests cannot load the machine: one process
 * at a time reads the buffer, and for at most a tenth of the time.
 *
 * @internal
 */
final readonly class MetricsCache
{
    private const MIN_MICROS = 1_000_000;

    private const COST_FACTOR = 10;

    private const MAX_KEPT_MICROS = 600_000_000;

    /** While another process reads the buffer, an older text is better than none. */
    private const MAX_AGE_MICROS = 60_000_000;

    private const WAIT_NANOS = 5_000_000_000;

    private const PAUSE_MICROS = 20_000;

    private const MAX_BYTES = 67_108_864;

    public function __construct(private string $path, private Permissions $permissions, private Clock $clock) {}

    /**
     * @param Closure(): string $read reads the buffer
     * @return ?string null when another process has read the buffer for seconds and there is no recent text
     */
    public function text(Closure $read): ?string
    {
        clearstatcache();
        // A directory or a file that is created before the first event would lock out the user that serves requests.
        $isNew = ! file_exists($this->path);
        $file = is_dir(dirname($this->path)) ? $this->permissions->open($this->path, 'c+e') : false;

        if ($file === false) {
            return $read();
        }

        if ($isNew) {
            RootDirectory::giveToOwner($this->path);
        }

        try {
            return $this->locked($file, $read);
        } finally {
            fclose($file);
        }
    }

    /**
     * @param resource $file
     * @param Closure(): string $read
     */
    private function locked($file, Closure $read): ?string
    {
        $deadline = $this->clock->monotonicNanos() + self::WAIT_NANOS;

        while (! flock($file, LOCK_EX | LOCK_NB)) {
            $text = $this->kept($file, self::MAX_AGE_MICROS);

            if ($text !== null || $this->clock->monotonicNanos() > $deadline) {
                return $text;
            }

            $this->clock->sleep(self::PAUSE_MICROS);
        }

        $text = $this->kept($file, null);

        if ($text === null) {
            $start = $this->clock->monotonicNanos();
            $text = $read();
            $micros = intdiv($this->clock->monotonicNanos() - $start, 1_000);
            $this->keep($file, $text, max(self::MIN_MICROS, self::COST_FACTOR * $micros));
        }

        return $text;
    }

    /**
     * @param resource $file
     * @param ?int $micros maximum age; null means the time for which the text is to be kept
     */
    private function kept($file, ?int $micros): ?string
    {
        rewind($file);
        $head = explode(' ', (string) fgets($file, 128));
        $at = (int) $head[0];
        $age = $this->clock->micros() - $at;

        // An age below 0 means that the clock was set back.
        if (count($head) !== 4 || $age < 0 || $age >= ($micros ?? min((int) $head[1], self::MAX_KEPT_MICROS))) {
            return null;
        }

        $text = (string) stream_get_contents($file, self::MAX_BYTES);

        // The process that holds the lock may be writing.
        return strlen($text) === (int) $head[2] && crc32($text) === (int) $head[3] ? $text : null;
    }

    /**
     * A text that is not written completely is not used.
     *
     * @param resource $file
     */
    private function keep($file, string $text, int $micros): void
    {
        $content = implode(' ', [$this->clock->micros(), $micros, strlen($text), crc32($text)])."\n{$text}";
        rewind($file);
        @fwrite($file, $content);
        @ftruncate($file, strlen($content));
        fflush($file);
    }
}
