<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Directives\ListenAddress;
use Headroom\Doctor\Nginx\Directives\ProxyPass;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\NotApplicable;

/**
 * Compares proxy_read_timeout with the limit of the server behind it: another nginx, or Octane.
 *
 * @internal
 */
final readonly class ProxyReadTimeout
{
    /** Seconds between the limits of two servers. */
    private const LONGER = 5;

    /** The port of octane:start and artisan serve. */
    private const OCTANE = 8000;

    public function __construct(private NginxServer $nginx, private ProxyPass $proxy, private int $milliseconds) {}

    /**
     * @return ?Finding null if nothing of the server leads to PHP
     *
     * @throws FactUnavailable
     */
    public function againstNginx(ProxyHop $hop, Facts $facts): ?Finding
    {
        $inner = LongestResponse::of($hop->server, $hop->inner, $facts);
        $evidence = [
            $this->nginx->evidence($this->proxy->readTimeout),
            new Evidence('proxy_pass', $this->proxy->address, $this->proxy->directive->where()),
            ...$inner->evidence,
        ];
        $better = intdiv($inner->allowed, 1000) + self::LONGER;

        return match (true) {
            $inner->milliseconds === 0 => null,
            $this->milliseconds >= $inner->milliseconds => Finding::pass('the inner server ends first', ...$evidence),
            default => Finding::warn(
                "{$this->givesUp()}, and nginx behind it waits for PHP for ".$inner->milliseconds / 1000 .'.',
                $evidence,
                $this->nginx->fix(
                    [$this->nginx->set($this->proxy->readTimeout, $this->proxy->directive, "{$better}s")],
                    'Let the proxy wait a little longer than the nginx behind it:'
                        ." proxy_read_timeout {$better}s; there.",
                ),
            ),
        };
    }

    /** @return ?Finding null if it is not known that Octane listens there */
    public function againstOctane(ListenAddress $target, Facts $facts): ?Finding
    {
        try {
            $app = $facts->get(Application::class);
        } catch (NotApplicable) {
            return null;
        }

        $seconds = $app->number('octane.max_execution_time');

        if ($target->port !== self::OCTANE || ! isset($app->packages['laravel/octane']) || $seconds === null) {
            return null;
        }

        $end = max(1, intdiv($this->milliseconds, 1000) - self::LONGER);
        $place = $this->nginx->facts->place($this->proxy->directive);
        $evidence = [
            $this->nginx->evidence($this->proxy->readTimeout),
            $app->evidence('octane.max_execution_time'),
        ];

        return $seconds > 0.0 && 1000 * $seconds <= $this->milliseconds
            ? Finding::pass('Octane ends first', ...$evidence)
            : Finding::warn(
                "{$this->givesUp()}, and Octane "
                    .($seconds > 0.0 ? "ends a request after {$seconds}." : 'never ends a request.'),
                $evidence,
                $app->fix(
                    ['octane.max_execution_time' => (string) $end],
                    'artisan octane:reload',
                    "Let Octane end requests first: 'max_execution_time' => {$end} in config/octane.php. If requests"
                        ." need longer, raise proxy_read_timeout ({$place}).",
                ),
            );
    }

    private function givesUp(): string
    {
        return 'The proxy gives up after '.$this->milliseconds / 1000 .' seconds';
    }
}
