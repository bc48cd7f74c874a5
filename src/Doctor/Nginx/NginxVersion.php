<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

/**
 * The version of nginx, or of the nginx in OpenResty. The version of another fork does not tell its changes.
 *
 * @internal
 */
final readonly class NginxVersion
{
    /** @param ?string $maker of a product with releases of its own; null: nginx itself */
    private function __construct(public string $number, public ?string $maker) {}

    /** @param string $text what `nginx -v` prints */
    public static function fromText(string $text): ?self
    {
        return preg_match('~^nginx version: (nginx|openresty)/(\d+\.\d+\.\d+)(.*)~m', $text, $m) === 1
            ? new self($m[2], match (true) {
                $m[1] === 'openresty' => 'OpenResty',
                str_contains($m[3], 'nginx-plus') => 'NGINX Plus',
                default => null,
            })
            : null;
    }

    public function isAtLeast(string $number): bool
    {
        return version_compare($this->number, $number, '>=');
    }

    public function name(): string
    {
        return "nginx {$this->number}";
    }
}
