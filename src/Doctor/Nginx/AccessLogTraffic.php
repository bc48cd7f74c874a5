<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Directives\AccessLog;
use Headroom\Doctor\Nginx\Directives\LogFormat;

/**
 * Reads each log once, and keeps a failure as well: the part that is read may have megabytes.
 *
 * @internal
 */
final class AccessLogTraffic
{
    /** @var array<string, LoggedTraffic|FactUnavailable> by path and format */
    private array $known = [];

    /**
     * @param ?LogFormat $format null where it is not known
     *
     * @throws FactUnavailable
     */
    public function in(AccessLog $log, ?LogFormat $format): LoggedTraffic
    {
        $traffic = $this->known["{$log->path}\0{$format?->name}"] ??= self::read($log, $format);

        return $traffic instanceof LoggedTraffic ? $traffic : throw $traffic;
    }

    private static function read(AccessLog $log, ?LogFormat $format): LoggedTraffic|FactUnavailable
    {
        try {
            return LoggedTraffic::in($log, $format);
        } catch (FactUnavailable $e) {
            return $e;
        }
    }
}
