<?php

declare(strict_types=1);

namespace Headroom\Laravel\Install;

use Headroom\Process\FinishedProcess;
use Headroom\Process\Programs;
use Throwable;

/**
 * The users that an ACL of a path names. Deployer gives the web server access to storage/ that way.
 *
 * @internal
 */
final readonly class AccessControlList
{
    private const SECONDS = 5;

    /** @return array<int, string> effective permissions, such as "rwx", by uid; empty without getfacl(1) or an ACL */
    public static function of(string $path): array
    {
        $program = function_exists('proc_open') ? Programs::optional('getfacl') : null;

        if ($program === null) {
            return [];
        }

        try {
            $command = [$program, '--numeric', '--absolute-names', '--omit-header', '--', $path];
            $output = FinishedProcess::of($command, '/', ['LC_ALL' => 'C'], self::SECONDS)->output;
        } catch (Throwable) {
            return []; // It could not be started, or hangs.
        }

        preg_match_all(
            '/^user:(\d+):([r-][w-][x-])(?:\s+#effective:([r-][w-][x-]))?/m',
            $output,
            $entries,
            PREG_SET_ORDER | PREG_UNMATCHED_AS_NULL,
        );
        $users = [];

        foreach ($entries as $entry) {
            $users[(int) $entry[1]] = $entry[3] ?? $entry[2];
        }

        return $users;
    }
}
