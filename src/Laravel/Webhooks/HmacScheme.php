<?php

declare(strict_types=1);

namespace Headroom\Laravel\Webhooks;

use Illuminate\Http\Request;
use SensitiveParameter;

/**
 * A header with the HMAC of the body, as GitHub sends it. It contains no time, so a recorded request stays valid
 * forever.
 *
 * @internal
 */
final readonly class HmacScheme implements Scheme
{
    /**
     * @param string $algorithm of hash_hmac()
     * @param string $encoding hex or base64
     * @param string $prefix text before the signature, such as `sha256=`
     * @param ?string $idHeader header with the id of the delivery
     */
    public function __construct(
        private string $header,
        private string $algorithm,
        private string $encoding,
        private string $prefix,
        private ?string $idHeader,
    ) {}

    public function isGenuine(Request $request, string $body, #[SensitiveParameter] array $secrets, int $now): bool
    {
        $given = (string) $request->headers->get($this->header);
        $isGenuine = false;

        foreach ($secrets as $secret) {
            $hash = hash_hmac($this->algorithm, $body, $secret, $this->encoding === 'base64');
            $isGenuine = hash_equals(
                $this->prefix.($this->encoding === 'base64' ? base64_encode($hash) : $hash),
                $given,
            )
                || $isGenuine;
        }

        return $isGenuine;
    }

    public function idOf(Request $request, string $body): ?string
    {
        return $this->idHeader === null ? null : $request->headers->get($this->idHeader);
    }
}
