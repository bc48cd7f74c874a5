<?php

declare(strict_types=1);

namespace Workbench\App;

use Illuminate\Encryption\Encrypter;
use Illuminate\Support\Env;
use RuntimeException;

/**
 * Where this application writes. WORKBENCH_STORAGE moves all of it out of the checkout.
 */
final readonly class StorageDirectory
{
    private const CIPHER = 'AES-256-CBC';

    private const DIRECTORIES = [
        'app/private',
        'bootstrap',
        'framework/cache/data',
        'framework/sessions',
        'framework/views',
        'logs',
    ];

    private function __construct(public string $path) {}

    public static function fromEnvironment(string $basePath): self
    {
        $chosen = Env::get('WORKBENCH_STORAGE');

        return new self(is_string($chosen) && $chosen !== '' ? rtrim($chosen, '/') : $basePath.'/storage');
    }

    /** @throws RuntimeException when a directory can be neither found nor made */
    public function prepare(): void
    {
        foreach (self::DIRECTORIES as $directory) {
            $path = $this->path.'/'.$directory;

            // Asked again after a failed mkdir: another process may have made it in between.
            if (! is_dir($path) && ! @mkdir($path, 0o755, true) && ! is_dir($path)) {
                throw new RuntimeException(
                    "The workbench cannot create {$path}. Make {$this->path} writable or set WORKBENCH_STORAGE to a"
                        .' directory that is.',
                );
            }
        }
    }

    /** Laravel looks for its caches in the checkout's bootstrap/cache unless these name another place. */
    public function exportCachePaths(): void
    {
        foreach (['config', 'events', 'packages', 'routes', 'services'] as $cache) {
            $_SERVER['APP_'.strtoupper($cache).'_CACHE'] = "{$this->path}/bootstrap/{$cache}.php";
        }
    }

    /**
     * The key is made at the first run, so that no secret is committed.
     *
     * @throws RuntimeException when the key can be neither read nor written
     */
    public function key(): string
    {
        $file = $this->path.'/app.key';

        if (! is_file($file)) {
            $this->makeKey($file);
        }

        $key = @file_get_contents($file);

        if ($key === false || $key === '') {
            throw new RuntimeException(
                "The workbench cannot read {$file}. Run every process of it as the same user, or delete the file.",
            );
        }

        return $key;
    }

    private function makeKey(string $file): void
    {
        $draft = $file.'.'.bin2hex(random_bytes(8));
        $written = @file_put_contents($draft, 'base64:'.base64_encode(Encrypter::generateKey(self::CIPHER)));

        if ($written === false) {
            throw new RuntimeException("The workbench cannot write {$draft}. Make {$this->path} writable.");
        }

        chmod($draft, 0o600);
        // link() refuses an existing name: of several first runs at once, one key stays, and it is whole.
        @link($draft, $file);
        unlink($draft);
    }
}
