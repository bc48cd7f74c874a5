<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore;

use ArrayObject;
use Headroom\Spool\Exceptions\BucketBusy;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\Scripts;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\HostName;
use Headroom\Support\PhpRestrictions;

/**
 * This process's ownership of a bucket. Its scripts run only while it is the owner, and each extends the ownership.
 *
 * @internal
 */
final readonly class Ownership
{
    /**
     * @param int<1, max> $millis time without a script after which another process may take over
     * @param ArrayObject<string, true> $open tokens of open leases of this process
     */
    public function __construct(
        public Client $client,
        public Keys $keys,
        public string $bucket,
        public string $token,
        private int $millis,
        private ArrayObject $open,
    ) {
        $open[$token] = true;
    }

    /** @return non-empty-string a name that operators can read: "a1b2c3d4e5f6a7b8 web-1 4711 9c8b7a6d" */
    public static function name(): string
    {
        return bin2hex(random_bytes(8)).' '.HostName::own().' '.PhpRestrictions::pid().' '.self::pidScope();
    }

    /**
     * Whether the owner of that name has ended without a release, because it was killed or Redis was down. It is an
     * earlier ownership of this process, or that of a process of this machine that does not exist any more.
     */
    public static function isGone(string $name): bool
    {
        [, , $pid, $scope] = [...explode(' ', $name), '', '', '', ''];

        return $scope !== ''
            && $scope === self::pidScope()
            && ctype_digit($pid)
            && $pid !== '0'
            && ((int) $pid === PhpRestrictions::pid() || ! file_exists("/proc/{$pid}"));
    }

    /**
     * Identifies the boot and the pid namespace in which a pid is unique; empty when the system does not report them.
     */
    private static function pidScope(): string
    {
        $boot = @file_get_contents('/proc/sys/kernel/random/boot_id');
        $namespace = @readlink('/proc/self/ns/pid');

        return $boot === false || $namespace === false ? '' : substr(hash('sha256', "{$boot} {$namespace}"), 0, 8);
    }

    /** @throws RedisFailure */
    public function release(): void
    {
        // Forget the token first. If Redis does not answer, the next claim of this process can then take the bucket
        // over.
        unset($this->open[$this->token]);
        $this->client->script(Scripts::RELEASE, $this->keys->all(), [$this->token]);
    }

    /**
     * @param list<string|int> $arguments
     *
     * @throws RedisFailure
     * @throws UnableToFlush
     */
    public function script(string $script, array $arguments = []): mixed
    {
        try {
            return $this->client->script($script, $this->keys->all(), [$this->token, $this->millis, ...$arguments]);
        } catch (RedisFailure $e) {
            throw $e->kind === 'SPOOLOWNER' ? BucketBusy::leaseLost($this->bucket, intdiv($this->millis, 1000)) : $e;
        }
    }
}
