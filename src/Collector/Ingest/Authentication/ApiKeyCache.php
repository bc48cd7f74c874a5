<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Authentication;

use function clearstatcache;
use function dirname;
use function error_log;
use function intdiv;
use function is_dir;

/**
 * The keys as a worker knows them. A change of the file is seen within a second.
 *
 * A key is looked up by its hash. How long that takes tells nothing: who does not have the key can not choose how its
 * hash begins.
 *
 * @internal
 */
final class ApiKeyCache
{
    private const CHECK_MICROS = 1_000_000;

    /** @var array<string, ApiKey> by hash */
    private array $keys = [];

    private int $checkedAt = 0;

    private string $seen = '';

    /** Why the file could not be read; what it said before holds then. */
    public ?UnableToStoreKeys $trouble = null;

    public function __construct(private readonly ApiKeyStore $file) {}

    /**
     * @param int $now microseconds since the Unix epoch
     * @return ?ApiKey also one that has expired or was revoked
     */
    public function find(string $token, int $now): ?ApiKey
    {
        if ($now - $this->checkedAt >= self::CHECK_MICROS || $now < $this->checkedAt) {
            $this->check($now);
        }

        return $this->keys[ApiKey::hash($token)] ?? null;
    }

    private function check(int $now): void
    {
        $this->checkedAt = $now;
        clearstatcache(true, $this->file->path);
        $stat = @stat($this->file->path);
        $state = $stat === false ? 'none' : "{$stat['mtime']} {$stat['ino']} {$stat['size']}";

        // Two changes within one second of the filesystem's clock can look like none,
        // so it is read again while it is new.
        $isSettled = $stat === false || intdiv($now, 1_000_000) - $stat['mtime'] > 2;

        if ($state === $this->seen && $isSettled && $this->trouble === null) {
            return;
        }

        // The whole buffer is away, as behind a mount that is gone: nobody has taken the keys back.
        $isAway = $stat === false
            && $this->seen !== ''
            && $this->seen !== 'none'
            && ! is_dir(dirname($this->file->path));

        try {
            if ($isAway) {
                throw UnableToStoreKeys::away($this->file->path);
            }

            $keys = [];

            foreach ($this->file->all() as $key) {
                $keys[$key->hash] = $key;
            }

            [$this->keys, $this->seen, $this->trouble] = [$keys, $state, null];
        } catch (UnableToStoreKeys $e) {
            if ($this->trouble?->getMessage() !== $e->getMessage()) {
                // Wherever this runs: a loop, FPM, an application.
                error_log(
                    $e->getMessage().' Until then the keys that are known here hold, and others are answered with 503.',
                );
            }

            $this->trouble = $e;
        }
    }
}
