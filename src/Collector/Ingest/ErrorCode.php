<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

/**
 * Error codes of a request or an event. Programs compare them, so they never change.
 *
 * @internal
 */
enum ErrorCode: string
{
    case NotJson = 'not_json';
    case NotUtf8 = 'not_utf8';
    case TooDeep = 'too_deep';
    case NotAnObject = 'not_an_object';
    case DuplicateMember = 'duplicate_member';
    case TooManyMembers = 'too_many_members';
    case MissingType = 'missing_type';
    case InvalidType = 'invalid_type';
    case MissingId = 'missing_id';
    case InvalidId = 'invalid_id';
    case MissingSource = 'missing_source';
    case InvalidSource = 'invalid_source';
    case InvalidSubject = 'invalid_subject';
    case InvalidTime = 'invalid_time';
    case InvalidData = 'invalid_data';
    case UnsupportedSpecVersion = 'unsupported_specversion';
    case UnknownType = 'unknown_type';
    case SchemaMismatch = 'schema_mismatch';
    case TypeNotAllowed = 'type_not_allowed';
    case EventTooLarge = 'event_too_large';

    case NoEvents = 'no_events';
    case NotAtomic = 'nothing_kept';
    case NothingAccepted = 'nothing_accepted';
    case BrokenEncoding = 'broken_encoding';
    case InvalidIdempotencyKey = 'invalid_idempotency_key';
    case NoKey = 'no_key';
    case UnknownKey = 'unknown_key';
    case ExpiredKey = 'expired_key';
    case RevokedKey = 'revoked_key';
    case BadSignature = 'bad_signature';
    case OriginNotAllowed = 'origin_not_allowed';
    case UnknownPath = 'unknown_path';
    case MethodNotAllowed = 'method_not_allowed';
    case BodyTooLarge = 'body_too_large';
    case TooManyEvents = 'too_many_events';
    case BatchExceedsRate = 'batch_exceeds_rate';
    case UnsupportedMediaType = 'unsupported_media_type';
    case UnsupportedEncoding = 'unsupported_encoding';
    case RateLimited = 'rate_limited';
    case RateUnavailable = 'rate_unavailable';
    case KeysUnavailable = 'keys_unavailable';
    case NotStored = 'not_stored';

    /** @return int<400, 599> status of a response with only this error */
    public function status(): int
    {
        return match ($this) {
            self::NotJson,
            self::NotUtf8,
            self::TooDeep,
            self::NoEvents,
            self::BrokenEncoding,
            self::InvalidIdempotencyKey => 400,
            self::NoKey, self::UnknownKey, self::ExpiredKey, self::RevokedKey, self::BadSignature => 401,
            self::TypeNotAllowed, self::OriginNotAllowed => 403,
            self::UnknownPath => 404,
            self::MethodNotAllowed => 405,
            self::EventTooLarge, self::BodyTooLarge, self::TooManyEvents, self::BatchExceedsRate => 413,
            self::UnsupportedMediaType, self::UnsupportedEncoding => 415,
            self::RateLimited => 429,
            self::RateUnavailable, self::KeysUnavailable, self::NotStored => 503,
            default => 422,
        };
    }
}
