<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

use Headroom\Doctor\FactUnavailable;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiClient;
use Headroom\Host\Fpm\PoolScript as FpmPoolScript;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Process\UnableToStart;

/**
 * Runs code in a worker of a pool and returns its output between two marks, because an auto_prepend_file may print
 * before it.
 *
 * @internal
 */
final readonly class WorkerScript
{
    public function __construct(private FastCgiClient $client = new FastCgiClient) {}

    /**
     * @param string $code with %MARK% before and after its output
     *
     * @throws FactUnavailable
     */
    public function told(Address $address, string $code): string
    {
        $mark = bin2hex(random_bytes(8));

        try {
            $script = FpmPoolScript::write(strtr($code, ['%MARK%' => $mark]));
        } catch (UnableToStart $e) {
            throw UnreadableRuntime::notRun($address, $e->getMessage(), $e);
        }

        try {
            $answer = $this->client->get($address, $script->path);
        } catch (UnableToQueryPool $e) {
            throw UnreadableRuntime::notRun($address, $e->getMessage(), $e);
        } finally {
            $script->stop();
        }

        $parts = explode($mark, $answer->body);

        return count($parts) === 3
            ? $parts[1]
            : throw UnreadableRuntime::notRun(
                $address,
                "the probe did not finish; status {$answer->status}"
                    .($answer->errors === '' ? '.' : ': '.substr($answer->errors, 0, 300)),
            );
    }
}
