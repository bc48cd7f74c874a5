@extends('pages.layout')

@section('title', 'Contact')

@push('head')
    <meta name="robots" content="noindex">
@endpush

@section('content')
    <h1>Contact</h1>
    <x-notice kind="hint" class="wide">Visit {{ $visits }} of this session.</x-notice>
    <form method="post" action="{{ url('/contacts') }}">
        @csrf
        <select name="topic">
            @foreach ($topics as $topic)
                <option @selected($loop->first)>{{ $topic }}</option>
            @endforeach
        </select>
        @error('email')
            <p>{{ $message }}</p>
        @enderror
        <input name="email" value="{{ old('email') }}">
    </form>
@endsection
