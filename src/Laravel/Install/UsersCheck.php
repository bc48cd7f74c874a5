<?php

declare(strict_types=1);

namespace Headroom\Laravel\Install;

use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Health\PermissionFix;
use Headroom\Spool\Services\SpoolServices;
use Illuminate\Contracts\Foundation\Application;

/**
 * Whether each user that serves requests can use the buffer. spool:health can only check the user that runs it, which
 * is often the user that deploys.
 *
 * @internal
 */
final readonly class UsersCheck
{
    private const FUNCTIONS = ['posix_getpwuid', 'posix_getpwnam', 'posix_getgrgid'];

    /** @param list<string> $buckets names */
    private function __construct(
        private string $root,
        private int $directoryMode,
        private array $buckets,
        private ApplicationUsers $users,
    ) {}

    /** @throws HeadroomException the configuration is invalid */
    public static function of(Application $app, SpoolServices $spool): self
    {
        $store = $spool->store();

        return new self($store->root, $store->permissions->directory, $spool->config()->names(), new ApplicationUsers(
            $app->basePath(),
            $app->storagePath(),
            $app->bootstrapPath('cache'),
        ));
    }

    /** @return list<Finding> */
    public function findings(): array
    {
        // Without the extension posix, or on a host that has disabled it, no user can be looked up.
        if (array_filter(self::FUNCTIONS, function_exists(...)) !== self::FUNCTIONS || ! is_dir($this->root)) {
            return [];
        }

        $me = Permissions::currentUser();
        $findings = [];

        foreach ($this->users->serving() as $uid => $evidence) {
            if ($uid !== $me) {
                $findings[] = $this->denied($uid, $evidence) ?? $this->narrow($uid, $me);
            }
        }

        $findings = array_values(array_filter($findings));

        return $findings === [] ? $this->unknown() : $findings;
    }

    /** @return list<Finding> */
    private function unknown(): array
    {
        $open = ($this->directoryMode & 07) === 07 ? null : $this->users->openDirectory();

        return $open === null ? [] : [new Finding(
            $open,
            'Each user may write to it, and no file shows which user serves requests. That user may not be able to use'
                ." {$this->root}.",
            'Run `spool:health` as the user that serves requests.',
            false,
        )];
    }

    private function denied(int $uid, string $evidence): ?Finding
    {
        $access = new UserAccess($uid);
        $path = $access->obstacle($this->root) ?? $this->obstacleBelow($access);
        $fix = new PermissionFix($this->root);

        return $path === null ? null : new Finding(
            $path,
            Permissions::userName($uid)." seems to serve requests, because it owns or may write {$evidence}, and it"
                .' cannot use this directory. Each of its events would be written to its sink within the request.',
            str_starts_with("{$path}/", "{$this->root}/") ? $fix->access($path, $uid) : $fix->passage($path),
        );
    }

    /** Another user may have created directories of the buffer, with the mode dir_mode. */
    private function obstacleBelow(UserAccess $access): ?string
    {
        $paths = ["{$this->root}/buckets"];

        foreach ($this->buckets as $bucket) {
            $layout = new Layout($this->root, $bucket);
            array_push($paths, $layout->directory, $layout->active);
        }

        foreach ($paths as $path) {
            if (is_dir($path) && ! $access->mayUse($path)) {
                return $path;
            }
        }

        return null;
    }

    /** The first event creates directories that only its own user can use. */
    private function narrow(int $uid, int $me): ?Finding
    {
        $name = Permissions::userName($uid);

        return $me === 0 || ($this->directoryMode & 070) === 070 ? null : new Finding(
            $this->root,
            sprintf(
                '%s seems to serve requests, and dir_mode 0%o admits one user only.',
                $name,
                $this->directoryMode,
            ),
            "Run the scheduler and workers as {$name}. If another user has to flush, "
                .(new PermissionFix($this->root))->share($uid, $me),
            false,
        );
    }
}
