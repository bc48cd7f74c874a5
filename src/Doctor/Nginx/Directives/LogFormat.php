<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Directives;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Variables\VariableNames;

/**
 * @internal
 */
final readonly class LogFormat
{
    /** Variables that split the time of a request. */
    public const TIMINGS = ['request_time', 'upstream_connect_time', 'upstream_header_time', 'upstream_response_time'];

    private const COMBINED = '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent'
        .' "$http_referer" "$http_user_agent"';

    /**
     * @param string $text its parts as one
     * @param ?Directive $directive null for combined, which nginx has built in
     */
    private function __construct(public string $name, public string $text, public ?Directive $directive) {}

    public static function fromDirective(Directive $directive): self
    {
        $parts = array_slice($directive->arguments, 1);

        if (str_starts_with($parts[0] ?? '', 'escape=')) {
            array_shift($parts);
        }

        return new self($directive->argument(0) ?? '', implode('', $parts), $directive);
    }

    public static function combined(): self
    {
        return new self('combined', self::COMBINED, null);
    }

    /** The combined format with the times behind it, under the names that logs:slow reads. */
    public static function timed(string $name): string
    {
        $times = array_map(static fn (string $time): string => " {$time}=\${$time}", self::TIMINGS);

        return "log_format {$name} '".self::COMBINED.implode('', $times)."'";
    }

    public function evidence(): Evidence
    {
        return new Evidence("log_format {$this->name}", $this->text, $this->directive?->where() ?? 'built into nginx');
    }

    /** @return list<string> of TIMINGS */
    public function missingTimings(): array
    {
        return array_values(array_diff(self::TIMINGS, VariableNames::in($this->text)));
    }
}
