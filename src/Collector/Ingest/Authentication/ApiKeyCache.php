<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Authentication;

use function clearstatcache;
use function dirname;
use function error_log;
use function intdiv;
use function is_dir;

/**
 * The API keys in the memory of a worker. It notices a change of the file within a second.
 *
 * It looks a key up by its hash. The time of the lookup reveals nothing, because a client without the key cannot choose
 * how the hash begins.
 *
 * @internal
 */
final class ApiKeyCache
{
    private const CHECK_MICROS = 1_000_000;

    /** @var array<string, ApiKey> by hash */
    private array $keys = [];

    private int $checkedAt = 0;

    private string $fileState = '';

    /** The failure of the last read. The keys of the last successful read stay valid. */
    public ?UnableToStoreKeys $failure = null;

    public function __construct(private readonly ApiKeyStore $file) {}

    /**
     * @param int $now microseconds since the Unix epoch
     * @return ?ApiKey also an expired or revoked one
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

        // Two changes within the resolution of the file system's clock can have the same time, so a new file is read
        // again.
        $isSettled = $stat === false || intdiv($now, 1_000_000) - $stat['mtime'] > 2;

        if ($state === $this->fileState && $isSettled && $this->failure === null) {
            return;
        }

        // The whole buffer is missing, for example after an unmount, so the keys were not revoked.
        $isMissing = $stat === false
            && $this->fileState !== ''
            && $this->fileState !== 'none'
            && ! is_dir(dirname($this->file->path));

        try {
            if ($isMissing) {
                throw UnableToStoreKeys::missing($this->file->path);
            }

            $keys = [];

            foreach ($this->file->all() as $key) {
                $keys[$key->hash] = $key;
            }

            [$this->keys, $this->fileState, $this->failure] = [$keys, $state, null];
        } catch (UnableToStoreKeys $e) {
            if ($this->failure?->getMessage() !== $e->getMessage()) {
                // error_log() works in the event loop, PHP-FPM and an application alike.
                error_log(
                    $e->getMessage()
                        .' Until then the collector accepts the keys it knows, and responds with 503 to others.',
                );
            }

            $this->failure = $e;
        }
    }
}
