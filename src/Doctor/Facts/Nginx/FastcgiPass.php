<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Nginx;

/**
 * A place where requests go to FPM, with what holds there.
 *
 * @internal
 */
final readonly class FastcgiPass
{
    /**
     * @param string $address as written; with variables in it nobody knows before a request comes
     * @param ?Upstream $upstream null where it names none
     * @param ?Directive $scriptFilename the fastcgi_param that PHP goes by
     */
    private function __construct(
        public Directive $said,
        public string $address,
        public PassTarget $target,
        public ?Upstream $upstream,
        public Setting $keepConn,
        public Setting $connectTimeout,
        public Setting $sendTimeout,
        public Setting $readTimeout,
        public Setting $nextUpstream,
        public Setting $buffering,
        public Setting $bufferSize,
        public Setting $buffers,
        public Setting $cache,
        public ?Directive $scriptFilename,
    ) {}

    public static function fromDirective(Directive $said, NginxConfig $config, Defaults $defaults): self
    {
        $place = $said->parent ?? $said;
        $address = $said->argument(0) ?? '';
        $upstream = $config->upstream($address);
        $upstream = $upstream === null ? null : Upstream::fromDirective($upstream, $defaults);
        $setting = static fn (string $name): Setting => $config->setting($name, $place, $defaults);
        // Of a name that is given twice PHP takes the last.
        $files = array_filter($config->nearest('fastcgi_param', $place), static fn (Directive $param): bool => $param->argument(0) === 'SCRIPT_FILENAME');

        return new self(
            $said,
            $address,
            PassTarget::of($address, $upstream),
            $upstream,
            $setting('fastcgi_keep_conn'),
            $setting('fastcgi_connect_timeout'),
            $setting('fastcgi_send_timeout'),
            $setting('fastcgi_read_timeout'),
            $setting('fastcgi_next_upstream'),
            $setting('fastcgi_buffering'),
            $setting('fastcgi_buffer_size'),
            $setting('fastcgi_buffers'),
            $setting('fastcgi_cache'),
            array_pop($files),
        );
    }

    /** Both are needed: FPM must not close the connection, and the upstream must keep it. */
    public function keepsConnections(): bool
    {
        return $this->keepConn->is('on') && ($this->upstream?->keepalive->number() ?? 0) > 0;
    }

    /** What one response takes before it goes to disk; null where an argument can not be read. */
    public function bufferedBytes(): ?int
    {
        $count = Units::number($this->buffers->arguments[0] ?? '');
        $each = Units::bytes($this->buffers->arguments[1] ?? '');
        $head = $this->bufferSize->bytes();

        return $count === null || $each === null || $head === null ? null : $head + $count * $each;
    }
}
