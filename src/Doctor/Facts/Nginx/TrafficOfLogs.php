<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Nginx;

use Headroom\Doctor\UnknownFact;

/**
 * Each log is read once, whatever comes of it: its end may be megabytes.
 *
 * @internal
 */
final class TrafficOfLogs
{
    /** @var array<string, Traffic|UnknownFact> by path and format */
    private array $known = [];

    /**
     * @param ?LogFormat $format null where it is not known
     *
     * @throws UnknownFact
     */
    public function in(AccessLog $log, ?LogFormat $format): Traffic
    {
        $traffic = $this->known["{$log->path}\0{$format?->name}"] ??= self::read($log, $format);

        return $traffic instanceof Traffic ? $traffic : throw $traffic;
    }

    private static function read(AccessLog $log, ?LogFormat $format): Traffic|UnknownFact
    {
        try {
            return Traffic::in($log, $format);
        } catch (UnknownFact $e) {
            return $e;
        }
    }
}
